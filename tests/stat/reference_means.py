#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Means of simulated, published and real data sets against values computed elsewhere with high precision, from
three different starts each: reference_means.py MANISTAT DATA MORE. DATA is tests/data; the data sets of the folder
MORE are added if it is there."""
import json
import math
import os
import subprocess
import sys
import tempfile

POINT = 1e-7  # of μ, t and Fréchet means, relative where numbers are larger than 1
LOGLIK = 1e-6  # relative
ERROR = 0.01  # of standard errors, relative
LEAST = 24  # comparisons that DATA alone makes

MANIFOLDS = {"Sym(2) Frobenius": "sym:2", "P(2) affine-invariant": "spd:2", "P3": "spd:3", "SO3": "so3", "T1": "circle"}
FAMILIES = {"R": "euclidean", "S": "sphere", "H": "hyperbolic", "T": "torus"}


def manifold_of(space):
    if space in MANIFOLDS:
        return MANIFOLDS[space]
    return FAMILIES[space[0]] + ":" + space[1:].lstrip("^")


def flat(numbers):
    return [x for row in numbers for x in row] if isinstance(numbers[0], list) else numbers


def square(triangle):
    """The full matrix of an upper triangle, row by row."""
    n = (math.isqrt(8 * len(triangle) + 1) - 1) // 2
    full = [[0.0] * n for _ in range(n)]
    numbers = iter(triangle)
    for i in range(n):
        for k in range(i, n):
            full[i][k] = full[k][i] = next(numbers)
    return flat(full)


def log_det(matrix):
    """By Cholesky's method; matrix is flat, row-major."""
    n = math.isqrt(len(matrix))
    total, l = 0.0, [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(i + 1):
            rest = matrix[i * n + k] - sum(l[i][a] * l[k][a] for a in range(k))
            l[i][k] = math.sqrt(rest) if i == k else rest / l[k][k]
        total += 2 * math.log(l[i][i])
    return total


def ambient_covariance(basis, covariance):
    """Bᵀ C B, which does not depend on the basis."""
    d, width = len(basis), len(basis[0])
    half = [[sum(covariance[i][k] * basis[k][a] for k in range(d)) for a in range(width)] for i in range(d)]
    return [[sum(basis[i][a] * half[i][b] for i in range(d)) for b in range(width)] for a in range(width)]


class Case:
    def __init__(self, name, manifold, path, reference, time=None):
        self.name, self.manifold, self.path, self.reference, self.time = name, manifold, path, reference, time


def counted(path, directory):
    """The different lines of a file, and how often each is there: rows that are equal in all digits count as copies
    of one otherwise, and the reference takes them for independent."""
    lines = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            lines[line] = lines.get(line, 0) + 1
    rows, counts = os.path.join(directory, "rows.csv"), os.path.join(directory, "counts.csv")
    with open(rows, "w", encoding="utf-8") as file:
        file.writelines(lines)
    with open(counts, "w", encoding="utf-8") as file:
        file.writelines(f"{count}\n" for count in lines.values())
    return [rows, "--weights", counts]


class Run:
    """All comparisons, with the largest error of each kind as a share of what is allowed."""

    def __init__(self, binary):
        self.binary, self.failures, self.lines = binary, 0, 0

    def mean(self, case, kind, start):
        command = [self.binary, "mean", "--manifold", case.manifold, "--kind", kind, "--json", "--quiet"]
        if case.time is not None:
            command += ["--time", str(case.time)]
        if case.manifold == "so3":
            command += ["--quaternion"]
        if start is not None:
            # A negative first number must not look like an option.
            command += ["--start=" + start]
        with tempfile.TemporaryDirectory() as directory:
            rows = counted(case.path, directory) if case.name == "earth/volcano_s2" else [case.path]
            done = subprocess.run(command + rows, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def compare(self, errors, key, got, want, tolerance):
        error = abs(got - want) / tolerance
        errors[key] = max(errors.get(key, 0.0), error if error == error else math.inf)

    def compare_point(self, errors, key, case, got, want):
        want = flat(want)
        if case.manifold == "so3" and sum(a * b for a, b in zip(got, want)) < 0:
            want = [-x for x in want]
        size = max(map(abs, want)) if case.manifold.startswith("spd") else 1.0
        if len(got) != len(want):
            errors[key] = math.inf
            return
        for a, b in zip(got, want):
            if case.manifold == "circle" or case.manifold.startswith("torus"):
                a = b + math.remainder(a - b, 2 * math.pi)
            self.compare(errors, key, a, b, POINT * max(size, abs(b)))

    def compare_errors(self, errors, case, got):
        reference, covariance = case.reference, got["mean_covariance"]
        want = reference.get("cov_mu", reference.get("cov_mu_sigma_dq"))
        root = math.sqrt(sum(want[i][i] for i in range(len(want))))
        self.compare(errors, "se", got["time_standard_error"], reference["se_t"], ERROR * reference["se_t"])
        if "maybe-uniform" in got["warnings"]:
            # Points without a mean that could be told: there is no error of it.
            if got["mean_standard_error"] is not None or covariance is not None:
                errors["se"] = math.inf
            return
        self.compare(errors, "se", got["mean_standard_error"], root, ERROR * root)
        basis = reference.get("tangent_basis")
        if basis is None or len(basis[0]) != len(got["basis"][0]):
            return
        one = flat(ambient_covariance(got["basis"], covariance))
        two = flat(ambient_covariance(basis, want))
        # Entries of the covariance to 2 %, the errors being their roots.
        for a, b in zip(one, two):
            self.compare(errors, "cov", a, b, 2 * ERROR * max(map(abs, two)))

    def diffusion(self, case, errors, got):
        reference = case.reference
        self.compare_point(errors, "mean", case, got["mean"], reference["mu"])
        self.compare(errors, "loglik", got["log_likelihood"], reference["loglik"], LOGLIK * abs(reference["loglik"]))
        if case.time is None:
            self.compare(errors, "time", got["time"], reference["t"], POINT * max(1, reference["t"]))
            self.compare_errors(errors, case, got)

    def frechet(self, case, errors, got):
        reference = case.reference
        variance = reference["frechet_variance"]
        if "frechet_mean_triu" in reference:
            self.compare_point(errors, "mean", case, got["mean"], square(reference["frechet_mean_triu"]))
        elif "frechet_mean" in reference:
            self.compare_point(errors, "mean", case, got["mean"], reference["frechet_mean"])
        else:
            trace = sum(got["mean"][:: math.isqrt(len(got["mean"])) + 1])
            self.compare(errors, "mean", trace, reference["trace"], reference["digits"] * reference["trace"])
        if "logdet" in reference:
            self.compare(errors, "logdet", log_det(got["mean"]), reference["logdet"],
                         max(POINT, reference.get("digits", 0)) * abs(reference["logdet"]))
        self.compare(errors, "variance", got["variance"], variance, max(POINT, reference.get("digits", 0)) * variance)

    def check(self, case, kind, rows):
        errors, seconds, problem = {}, 0.0, ""
        for start in (None, rows[0], rows[len(rows) // 2]):
            try:
                got = self.mean(case, kind, start)
                seconds = max(seconds, got["seconds"])
                getattr(self, kind)(case, errors, got)
                # null: 100 points on the sphere of dimension 10 cannot be told from uniform ones
                if not got["converged"] or got["unique"] is False:
                    problem = "not converged or not unique"
            except (RuntimeError, KeyError, TypeError) as reason:
                problem = f"{type(reason).__name__}: {reason}"
                break
        bad = problem != "" or any(error > 1 for error in errors.values())
        self.failures += bad
        self.lines += 1
        shares = " ".join(f"{key} {error:.1e}" for key, error in errors.items())
        time = "" if case.time is None else f" t={case.time}"
        print(f"{'FAIL' if bad else 'ok  '} {case.name + time:42} {kind:9} {1e3 * seconds:8.1f} ms  {shares} {problem}")
        sys.stdout.flush()


def synthetic_cases(more, scratch):
    cases = []
    for name, reference in json.load(open(f"{more}/reference/means.json", encoding="utf-8"))["data"].items():
        stem = {"P2": "SPDN2"}.get(name, name.split("_")[0])
        path = f"{more}/data/synthetic/{stem}.csv"
        if "_first" in name:
            rows = open(path, encoding="utf-8").readlines()[: reference["n_points"]]
            path = os.path.join(scratch, name + ".csv")
            with open(path, "w", encoding="utf-8") as out:
                out.writelines(rows)
        manifold = manifold_of(reference["space"])
        cases.append(Case(name, manifold, path, reference))
        for time, fixed in reference.get("fixed_t", {}).items():
            cases.append(Case(name, manifold, path, fixed, time))
    return cases


def mean_of_angles(path):
    """The global Fréchet mean on the circle: that of the angles cut open at one of them, whichever is best. A climb
    from the mean of the unit vectors of the wind at Col de la Roa ends at 0.43159, a local minimum."""
    angles = [float(row) for row in open(path, encoding="utf-8").read().split() if row[0] in "-.0123456789"]
    best = (math.inf, 0.0)
    for cut in angles:
        mean = cut + sum((angle - cut) % (2 * math.pi) for angle in angles) / len(angles)
        squares = (math.remainder(angle - mean, 2 * math.pi) ** 2 for angle in angles)
        best = min(best, (sum(squares) / len(angles), mean))
    return {"frechet_variance": best[0], "frechet_mean": [best[1]]}


def real_cases(references, data):
    values = json.load(open(f"{references}/means_real.json", encoding="utf-8"))["data"]
    cases = [
        Case(name, manifold_of(reference["space"]), f"{data}/{name.split(' ')[0]}.csv", reference)
        for name, reference in values.items()
    ]
    for case in cases:
        if case.manifold == "circle":
            case.reference.update(mean_of_angles(case.path))
    # Published with fewer digits, in the page on the data.
    for name, manifold, path, logdet, trace, variance in (
        ("spd/connectomes", "spd:28", "spd/connectomes_corr28_triu.csv", -37.059371, 10.60027, 62.418215),
        ("spd/eeg", "spd:32", "spd/eeg_erp_cov32_triu.csv", -1984.282120, 6.247302e-26, 25.627038),
    ):
        if os.path.exists(f"{data}/{path}"):
            reference = {"logdet": logdet, "trace": trace, "frechet_variance": variance, "digits": 1e-6}
            cases.append(Case(name, manifold, f"{data}/{path}", reference))
    return cases


def scaled_case(case, scale, scratch):
    """Matrices in other units, which may be tiny: the affine-invariant mean is scaled with them."""
    path = os.path.join(scratch, "scaled.csv")
    with open(case.path, encoding="utf-8") as rows, open(path, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(",".join(repr(scale * float(cell)) for cell in row.split(",")) + "\n")
    triangle = [scale * x for x in case.reference["frechet_mean_triu"]]
    order = math.isqrt(len(square(triangle)))
    reference = {
        "frechet_mean_triu": triangle,
        "logdet": case.reference["logdet"] + order * math.log(scale),
        "frechet_variance": case.reference["frechet_variance"],
    }
    return Case(f"{case.name} times {scale:g}", case.manifold, path, reference)


def simulated_cases(references):
    data = json.load(open(f"{references}/sim_means.json", encoding="utf-8"))["data"]
    cases = [
        Case("sim " + name, manifold_of(reference["space"]), f"{references}/{reference['file']}", reference)
        for name, reference in data.items()
    ]
    spd2 = json.load(open(f"{references}/spd2_mean.json", encoding="utf-8"))
    cases.append(Case("sim spd2", "spd:2", f"{references}/spd2_data.csv", spd2))
    return cases


def all_cases(data, more, scratch):
    cases = simulated_cases(f"{data}/reference") + real_cases(f"{data}/reference", data)
    tensors = next(case for case in cases if case.name == "dti/small64_tensors")
    cases.append(scaled_case(tensors, 2.0**-80, scratch))
    if os.path.isdir(f"{more}/reference") and os.path.isdir(f"{more}/data"):
        known = {case.name for case in cases}
        further = synthetic_cases(more, scratch) + real_cases(f"{more}/reference", f"{more}/data")
        cases += [case for case in further if case.name not in known]
    else:
        print(f"no further data sets in {more}")
    return cases


def main():
    binary, data, more = sys.argv[1:4]
    run = Run(binary)
    print("errors are shares of what is allowed, the largest over three starts")
    with tempfile.TemporaryDirectory() as scratch:
        for case in all_cases(data, more, scratch):
            rows = [row for row in open(case.path, encoding="utf-8").read().split() if row[0] in "-.0123456789"]
            if "mu" in case.reference:
                run.check(case, "diffusion", rows)
            if "frechet_variance" in case.reference:
                run.check(case, "frechet", rows)
    print(f"{run.lines - run.failures} of {run.lines} agree")
    return 1 if run.failures or run.lines < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())

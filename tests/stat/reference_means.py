#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Means of the published and the real data sets against values computed elsewhere with high precision, from three
different starts each: reference_means.py MANISTAT SHARED. Exit status 77 if the folder SHARED is not there."""
import json
import math
import os
import subprocess
import sys
import tempfile

POINT = 1e-7  # of μ, t and Fréchet means, relative where numbers are larger than 1
LOGLIK = 1e-6  # relative
ERROR = 0.01  # of standard errors, relative

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
        done = subprocess.run(command + [case.path], capture_output=True, text=True, check=False)
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
        self.compare(errors, "se", got["mean_standard_error"], root, ERROR * root)
        self.compare(errors, "se", got["time_standard_error"], reference["se_t"], ERROR * reference["se_t"])
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
                if not (got["converged"] and got["unique"]):
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


def synthetic_cases(shared, scratch):
    cases = []
    for name, reference in json.load(open(f"{shared}/reference/means.json", encoding="utf-8"))["data"].items():
        stem = {"P2": "SPDN2"}.get(name, name.split("_")[0])
        path = f"{shared}/data/synthetic/{stem}.csv"
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


def real_cases(shared):
    data = json.load(open(f"{shared}/reference/means_real.json", encoding="utf-8"))["data"]
    cases = [
        Case(name, manifold_of(reference["space"]), f"{shared}/data/{name.split(' ')[0]}.csv", reference)
        for name, reference in data.items()
    ]
    # Published with fewer digits, in the page on the data.
    cases.append(Case("spd/eeg", "spd:32", f"{shared}/data/spd/eeg_erp_cov32_triu.csv",
                      {"logdet": -1984.282120, "trace": 6.247302e-26, "frechet_variance": 25.627038, "digits": 1e-6}))
    cases.append(Case("spd/connectomes", "spd:28", f"{shared}/data/spd/connectomes_corr28_triu.csv",
                      {"logdet": -37.059371, "trace": 10.60027, "frechet_variance": 62.418215, "digits": 1e-6}))
    return cases


def simulated_cases(shared):
    data = json.load(open(f"{shared}/reference/sim_means.json", encoding="utf-8"))["data"]
    cases = [
        Case("sim " + name, manifold_of(reference["space"]), f"{shared}/reference/{reference['file']}", reference)
        for name, reference in data.items()
    ]
    spd2 = json.load(open(f"{shared}/reference/spd2_mean.json", encoding="utf-8"))
    cases.append(Case("sim spd2", "spd:2", f"{shared}/reference/spd2_data.csv", spd2))
    return cases


def main():
    binary, shared = sys.argv[1:3]
    if not os.path.isdir(f"{shared}/reference") or not os.path.isdir(f"{shared}/data"):
        print(f"skipped: no {shared}")
        return 77
    run = Run(binary)
    print("errors are shares of what is allowed, the largest over three starts")
    with tempfile.TemporaryDirectory() as scratch:
        for case in synthetic_cases(shared, scratch) + real_cases(shared) + simulated_cases(shared):
            rows = [row for row in open(case.path, encoding="utf-8").read().split() if row[0] in "-.0123456789"]
            if "mu" in case.reference:
                run.check(case, "diffusion", rows)
            if "frechet_variance" in case.reference:
                run.check(case, "frechet", rows)
    print(f"{run.lines - run.failures} of {run.lines} agree")
    return 1 if run.failures or run.lines < 40 else 0


if __name__ == "__main__":
    sys.exit(main())

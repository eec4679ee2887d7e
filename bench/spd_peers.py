#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fréchet means and distance matrices of positive definite matrices, affine-invariant, by manistat, pyRiemann and
geomstats: on the same rows, in the same run, in turn.

    spd_peers.py BUILD [--rounds N] [--budget SECONDS] [--only NAME,...]

BUILD is the folder of the release build. The peers are installed into BUILD/peers if they are not there and the package
index can be reached; else they are not measured. Everybody may have two threads and goes on until the gradient of ½ mean d²,
the norm of the mean logarithm, is below 1e-10. The loosest setting that reaches it is found first, by a referee that has
nothing but numpy, and then timed; of geomstats the better start is taken. The peers have a row for one thread and one for
two, of which a job's ratio takes the faster; where one takes five times as long as the other, it is not timed again. `manistat mean` has no such setting: its gradient stands beside it. Times are of the call, data
in memory; of `manistat mean` its own `seconds`, which have reading the file in them. Error bars are part of manistat's
means where the column says so, and of nobody else's.

The exit status is 1 if answers differ: variances from the known ones by 1e-6, means by 1e-9, distances by 1e-9 of their size."""
import argparse
import json
import os
import statistics
import subprocess
import sys

import peers

THREADS = 2
GRADIENT = 1e-10

ROW = "  %-30s %10s %10s %10s   %8s %11s %8s   %s"

# name, what, title, known variance, goal: times as fast as the faster peer
JOBS = [
    ("eeg", "mean", "108 x order 32, EEG", 25.627038, 8),
    ("connectomes", "mean", "43 x order 28, connectomes", 62.418215, 8),
    ("dti", "mean", "1000 x order 3, diffusion tensors", 0.775609, 8),
    ("wishart8", "mean", "1000 x order 8, Wishart", None, 8),
    ("wishart16", "mean", "1000 x order 16, Wishart", None, 8),
    ("wishart64", "mean", "1000 x order 64, Wishart", None, 5),
    ("wishart22", "dist", "distance matrix of 500 x order 22, Wishart", None, 4),
]


class Process:
    """Answers a line with a line."""

    def __init__(self, call):
        environment = dict(os.environ, **{k: str(THREADS) for k in (
            "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")})
        self.child = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      text=True, env=environment)

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise RuntimeError("%s has ended" % self.child.args[0])
        return json.loads(answer)

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Contender:
    """`file`: what its answers are called; `settings`: from the loosest to the strictest, or different ones to choose from."""

    name = file = ""
    settings = [None]
    choice = False  # take the fastest of the settings that do, not the first

    def __init__(self, *parts):
        self.parts = parts
        self.setting = None
        self.times = []

    def takes(self, job):
        return True

    def run(self, job):
        raise NotImplementedError


class Library(Contender):
    name, file, verb = "manistat, library", "manistat_", "mean"
    settings = [1e-10, 1e-11, 1e-12]

    def run(self, job):
        verb = "dist" if job[1] == "dist" else self.verb
        return self.parts[0].ask("%s %s %g" % (verb, job[0], self.setting or GRADIENT))


class OneStart(Library):
    name, file, verb = "manistat, one start", "once_", "once"

    def takes(self, job):
        return job[1] == "mean"


class CommandLine(Contender):
    name, file = "manistat mean --json, seconds", "cli_"

    def takes(self, job):
        return job[1] == "mean"

    def run(self, job):
        build, folder, python = self.parts
        order = job[2].split("order ")[1].split(",")[0]
        call = [os.path.join(build, "manistat"), "mean", "--manifold", "spd:" + order, "--kind", "frechet", "--json",
                "--threads", str(THREADS), os.path.join(folder, job[0] + ".npy")]
        answer = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
        if python is not None:  # as the others write theirs
            write = "import json, sys, numpy; numpy.save(sys.argv[1], json.load(sys.stdin))"
            subprocess.run([python, "-c", write, os.path.join(folder, self.file + job[0] + ".npy")],
                           input=json.dumps(answer["mean"]), text=True, check=True)
        return {"seconds": answer["seconds"], "standard_error": answer["mean_standard_error"],
                "variance": answer["variance"], "gradient": answer["gradient_norm"]}


class Peer(Contender):
    """A row for each number of threads: which one is better depends on the size of the matrices, and on the machine."""

    def __init__(self, process, threads):
        super().__init__(process)
        self.threads = threads
        self.name += ", %d thread%s" % (threads, "s" if threads > 1 else "")
        self.file += "%d_" % threads

    def run(self, job):
        order = {"do": job[1], "who": self.who, "set": job[0], "setting": self.setting, "threads": self.threads,
                 "file": self.file + job[0] + ".npy"}
        return self.parts[0].ask(json.dumps(order))


class PyRiemann(Peer):
    name, file, who = "pyRiemann", "pyriemann_", "pyriemann"
    settings = [1e-9, 1e-10]


class Geomstats(Peer):
    name, file, who = "geomstats", "geomstats_", "geomstats"
    settings = ["first point", "arithmetic mean"]
    choice = True


def referee(process, job, contenders):
    """What numpy says of the answers: a dictionary each, empty without numpy."""
    if process is None:
        return [{} for _ in contenders]
    files = [c.file + job[0] + ".npy" for c in contenders]
    found = process.ask(json.dumps({"do": "check" if job[1] == "mean" else "same", "set": job[0], "files": files}))
    if "failure" in found:
        sys.exit("the referee: " + found["failure"])
    return found


def tune(contender, job, process):
    """Find the setting; the first run of each is not timed. Returns the failure, or None."""
    tried = []
    for setting in contender.settings if job[1] == "mean" else contender.settings[:1]:
        contender.setting = setting
        contender.warm = contender.run(job)
        if contender.warm.get("failure"):
            return contender.warm["failure"]
        seen = referee(process, job, [contender])[0].get("gradient", contender.warm.get("gradient") or 0)
        tried.append((seen > GRADIENT, contender.warm["seconds"], setting))
        if seen <= GRADIENT and not contender.choice:
            break
    if contender.choice:
        contender.setting = min(tried, key=lambda t: t[:2])[2]
    return None


def record(job, figures):
    path = os.environ.get("MANISTAT_BENCH_JSON")
    if path:
        with open(path, "a", encoding="utf-8") as out:
            for figure in figures:
                whole = {"program": "spd_peers", "about": job[2], "unit": "ms", "better": "smaller", **figure}
                out.write(json.dumps(whole) + "\n")


def number(x, form):
    return form % x if isinstance(x, (int, float)) else "-"


def show(job, contenders, seen):
    """Prints the rows of a job; returns their figures and what is wrong with the answers."""
    figures, wrong = [], []
    for c, r in zip(contenders, seen):
        median, best = 1e3 * statistics.median(c.times), 1e3 * min(c.times)
        variance = r.get("variance", c.warm.get("variance"))
        gradient = r.get("gradient", c.warm.get("gradient"))
        errors = "yes" if c.warm.get("standard_error") is not None else "no"
        note = "" if gradient is None or gradient <= GRADIENT else "  short of 1e-10"
        processor = c.processor and 1e3 * c.processor
        print(ROW % (c.name, "%.2f" % median, "%.2f" % best,
                     number(processor, "%.2f"), number(gradient, "%.1e"), number(variance, "%.6f"),
                     number(r.get("apart"), "%.0e"), (errors if job[1] == "mean" else "") + note))
        figures.append({"name": c.name, "value": median, "best": best, "processor": processor,
                        "gradient": gradient, "variance": variance, "apart": r.get("apart"), "errors": errors == "yes",
                        "setting": c.setting, "runs": len(c.times)})
        if job[3] is not None and not (variance is not None and abs(variance - job[3]) <= 1e-6):
            wrong.append("%s: %s has the variance %s instead of %.6f" % (job[2], c.name, variance, job[3]))
        if not r.get("apart", 0) <= 1e-9:
            wrong.append("%s: %s is %.1e away from manistat" % (job[2], c.name, r["apart"]))
    theirs = [c for c in contenders if isinstance(c, Peer)]
    for ours in (c for c in contenders if not isinstance(c, Peer)):
        if not theirs:
            continue
        rival = min(theirs, key=lambda c: statistics.median(c.times))
        ratio = statistics.median(rival.times) / statistics.median(ours.times)
        least = min(min(c.times) for c in theirs) / min(ours.times)
        print("  %-30s %10.2f %10.2f   times as fast as %s; goal %g" % (ours.name, ratio, least, rival.name, job[4]))
        next(f for f in figures if f["name"] == ours.name).update(ratio=ratio, ratio_best=least, target_ratio=job[4])
    return figures, wrong


def compare(job, contenders, process, folder, o):
    print("\n" + job[2], flush=True)
    if not os.path.exists(os.path.join(folder, job[0] + ".npy")):
        print("  not measured: the data are not there")
        return []
    ready = []
    for c in contenders:
        if not c.takes(job):
            continue
        c.times, c.processor = [], None
        failure = tune(c, job, process)
        if failure is None:
            ready.append(c)
        else:
            print("  %-30s not measured: %s" % (c.name, failure))
    for c in list(ready):  # threads that wait for each other on a busy machine can take for ever
        others = [e.warm["seconds"] for e in ready if isinstance(c, Peer) and type(e) is type(c)]
        if others and c.warm["seconds"] > 5 * min(others):
            ready.remove(c)
            print("  %-30s %10.2f once; not timed again" % (c.name, 1e3 * c.warm["seconds"]))
    if not ready:
        return []
    rounds = int(o.budget / (1e-9 + sum(c.warm["seconds"] for c in ready)))
    for _ in range(max(2, min(o.rounds, rounds))):
        for c in ready:
            c.warm = c.run(job)
            c.times.append(c.warm["seconds"])
            if c.warm.get("processor") is not None:
                c.processor = min(c.processor or 1e300, c.warm["processor"])
    print(ROW % ("", "median ms", "best ms", "processor", "gradient", "variance", "apart", "errors"))
    figures, wrong = show(job, ready, referee(process, job, ready))
    record(job, figures)
    return wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--rounds", type=int, default=7, help="runs of each job, at most (default 7; at least 2)")
    p.add_argument("--budget", type=float, default=60, help="seconds for the timed runs of a job, about (default 60)")
    p.add_argument("--only", help="names of jobs, joined by commas: " + ",".join(j[0] for j in JOBS))
    o = p.parse_args()
    folder = os.path.join(o.build, "peers-spd")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(o.build, "bench", "bench_spd_jobs")
    subprocess.run([program, "--write", folder], check=True)
    here = os.path.dirname(os.path.abspath(__file__))
    library = Process([program, "--serve", folder, str(THREADS)])
    pythons = {peer: peers.interpreter(o.build, peer.who) for peer in (PyRiemann, Geomstats)}
    numpy = pythons[PyRiemann] or pythons[Geomstats]
    contenders = [Library(library), OneStart(library), CommandLine(o.build, folder, numpy)]
    processes = [library]

    def worker(python):
        processes.append(Process([python, os.path.join(here, "spd_worker.py"), folder]))
        return processes[-1]

    process = worker(numpy) if numpy else None
    for peer, python in pythons.items():
        if python:
            process_of_peer = worker(python)
            contenders += [peer(process_of_peer, threads) for threads in (1, THREADS)]
            versions = process_of_peer.ask('{"do": "about"}')
            print("%s %s, numpy %s: %s" % (peer.name, versions.get(peer.who), versions["numpy"], versions["blas"]))
        else:
            print("%s: not measured, the package index is out of reach" % peer.name)
    print("%d threads each, %d cores here, load %.1f; times of calls in turn, data in memory"
          % (THREADS, os.cpu_count(), os.getloadavg()[0]))
    wrong = []
    for job in JOBS:
        if o.only is None or job[0] in o.only.split(","):
            wrong += compare(job, contenders, process, folder, o)
    for p in processes:
        p.close()
    for line in wrong:
        print("WRONG: " + line)
    return 1 if wrong else 0


sys.exit(main())

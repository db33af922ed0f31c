#!/usr/bin/env python3
"""How long a person waits: from saving a file to the verdict on all cases.

    tests/bench/save_to_verdict.py [--repetitions N] [--user] [--backend NAME] [operator or
        operator/rung ...]

A benchmark, not a test: run it on a quiet machine. It takes every rung of every operator that it
finds in solutions/, checks it, as a person has who goes on with it, saves it with a fresh comment,
and checks it twice: changed, then unchanged. Prints milliseconds, the median of the repetitions:

    compile   the difference of the other two
    run       a check of the unchanged file: the module is in the cache
    check     a check of the changed file, which is what the person waits for

--user prints processor time instead, which other programs on the machine disturb less. Goals: 500
ms for a file of fewer than 100 lines, 1000 ms for every rung. What misses its goal has a star.
--backend: emulator (the default, which the goals are for), gpu, or auto (both).
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KATA = pathlib.Path(os.environ.get("KATA_BUILD", ROOT / "build")) / "kata"


def milliseconds(command, user):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * (spent if user else wall)


def measure(rung, repetitions, user, backend):
    command = [KATA, "check", rung, "--backend", backend]
    text = rung.read_text()
    changed, unchanged = [], []
    milliseconds(command, user)
    for i in range(repetitions):
        rung.write_text(f"{text}// saved {time.time_ns()}\n")
        changed.append(milliseconds(command, user))
        unchanged.append(milliseconds(command, user))
    check, run = statistics.median(changed), statistics.median(unchanged)
    return len(text.splitlines()), check - run, run, check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--user", action="store_true", help="processor time, not wall time")
    parser.add_argument("--backend", choices=["emulator", "gpu", "auto"], default="emulator")
    parser.add_argument("only", nargs="*", help="operator, or operator/beginning of a rung's name")
    arguments = parser.parse_args()
    if not KATA.is_file():
        sys.exit(f"no {KATA}: build kata first, or set KATA_BUILD")
    rungs = sorted((ROOT / "solutions").glob("*/[0-9]*.cu"),
                   key=lambda rung: (rung.parent.name, int(rung.stem.split("_")[0])))
    names = [f"{rung.parent.name}/{rung.stem}" for rung in rungs]
    chosen = [name for name in names if not arguments.only or
              any(name.startswith(one if "/" in one else one + "/") for one in arguments.only)]
    if not chosen:
        sys.exit("no such rung: " + " ".join(arguments.only))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "solutions"
        shutil.copytree(ROOT / "solutions", copy)
        os.environ["KATA_HOME"] = folder + "/home"
        print(f"{'rung':38} lines compile    run  check")
        missed = 0
        warm = ""
        for name in chosen:
            operator = name.split("/")[0]
            if operator != warm:  # what the ladder counts is kept from now on
                milliseconds([KATA, "check", copy / f"{name}.cu", "--backend", arguments.backend],
                             arguments.user)
                warm = operator
            lines, compiling, running, check = measure(
                copy / f"{name}.cu", arguments.repetitions, arguments.user, arguments.backend)
            slow = check > (500 if lines < 100 else 1000)
            missed += slow
            print(f"{name:38} {lines:5} {compiling:7.0f} {running:6.0f} {check:6.0f}"
                  f"{' *' if slow else ''}", flush=True)
        print(f"{len(chosen)} rungs, {missed} over their goal")


if __name__ == "__main__":
    main()

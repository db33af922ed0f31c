#!/usr/bin/env python3
"""What the quick tests cost: processor time, user and system, of all processes that they start.

    tests/bench/test_cost.py                         each test program, as `kata test` runs it
    tests/bench/test_cost.py --operators [NAME ...]  the quick tests of each operator
    tests/bench/test_cost.py --cases PROGRAM         each test case of one program, dearest first

They share one cache of modules, empty at first. Goals: 5 s an operator, and all of `kata test` in less
than 4 minutes on two quiet cores. Wall time depends on what else the machine does.
A benchmark, not a test.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KATA_BUILD", ROOT / "build"))
QUICK = "--test-suite-exclude=slow"


def cost(command, cache):
    """Processor seconds, wall seconds, and whether the command failed (77: skipped)."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "KATA_CACHE": cache},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, wall, done.returncode not in (0, 77)


def programs():
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "-R", "^harness[.]", "-LE", "slow",
                             "--show-only=json-v1"], capture_output=True, check=True).stdout
    return [(test["name"].removeprefix("harness."), test["command"])
            for test in json.loads(listed)["tests"]]


def operators(names):
    known = sorted(path.name for path in (ROOT / "exercises").iterdir() if path.is_dir())
    return [(name, [BUILD / "test_operators", QUICK, f"--subcase={name}"])
            for name in known if not names or name in names]


def test_cases(program):
    path = BUILD / f"test_{program}"
    listed = subprocess.run([path, QUICK, "--list-test-cases", "--no-colors"],
                            capture_output=True, text=True, check=True).stdout
    names = [line for line in listed.splitlines() if line and not line.startswith(("[", "="))]
    # In a filter of doctest a comma separates names.
    return [(name, [path, QUICK, "--test-case=" + re.sub(r"[,\\]", "?", name)]) for name in names]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--operators", nargs="*", metavar="NAME")
    parser.add_argument("--cases", metavar="PROGRAM")
    arguments = parser.parse_args()
    by_operator = arguments.operators is not None
    tests = (operators(arguments.operators) if by_operator else
             test_cases(arguments.cases) if arguments.cases else programs())
    with tempfile.TemporaryDirectory() as cache:
        if by_operator:  # the first would pay for the precompiled header
            cost([BUILD / "kata", "check", "relu", "--solution", "--no-ladder"], cache)
        rows = []
        for name, command in tests:
            rows.append((*cost(command, cache), name))
            print(f"{name[:60]:60} {rows[-1][0]:7.1f} {rows[-1][1]:7.1f}"
                  f"{' failed' if rows[-1][2] else ''}", file=sys.stderr, flush=True)
    print(f"{'':60} processor  wall   s")
    for spent, wall, failed, name in sorted(rows, reverse=True):
        print(f"{name[:60]:60} {spent:9.1f} {wall:5.1f}{' failed' if failed else ''}")
    print(f"{f'{len(rows)} in all':60} {sum(row[0] for row in rows):9.1f} "
          f"{sum(row[1] for row in rows):5.1f}")


if __name__ == "__main__":
    main()

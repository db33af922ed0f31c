#!/usr/bin/env python3
"""How long kata takes to answer a person who has made many attempts.

    tests/bench/many_attempts.py [attempts]

Imports that many attempts (10,000 if left out) into a history of its own and prints for each
command the processor time, user and system, of 9 starts: median and largest, in milliseconds.
The goal is 50 ms. A benchmark, not a test: run it on a quiet machine.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KATA = pathlib.Path(os.environ.get("KATA_BUILD", ROOT / "build")) / "kata"
COMMANDS = [[], ["list"], ["hint", "softmax"], ["show", "softmax"], ["history"],
            ["history", "softmax"], ["history", "5000"], ["review"], ["progress"], ["plan"],
            ["quiz", "--topics"]]
STARTS = 9
DAY_MS = 86_400_000
FINDING = {"kind": "race", "severity": "error", "file": "softmax.cu", "line": 5,
           "kernel": "softmax_kernel", "message": "thread 0 writes what thread 32 reads"}


def attempts(count):
    """A year of attempts at every operator, each with the text of a rung, changed a little."""
    rungs = sorted(ROOT.glob("solutions/*/[0-9]_*.cu"))
    start = 1_763_000_000_000
    yield {"kata_history": 2}
    for i in range(count):
        rung = rungs[i % len(rungs)]
        passed = i % 3 == 0
        yield {"table": "attempts", "uid": f"{i:032x}", "at": start + i * 365 * DAY_MS // count,
               "operator": rung.parent.name, "kind": "check",
               "verdict": "pass" if passed else "fail",
               "text": rung.read_text() + f"// {i}\n", "text_hash": f"{i:032x}",
               "findings": "[]" if passed else json.dumps([FINDING]),
               "grade": 3 if passed and i % 2 else None, "backend": "emulator"}


def processor_ms(arguments, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([KATA, *arguments], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"kata {' '.join(arguments)}: {done.stderr.decode()}")
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "KATA_HOME": home, "NO_COLOR": "1"}
        lines = pathlib.Path(home) / "attempts.jsonl"
        lines.write_text("\n".join(json.dumps(line) for line in attempts(count)) + "\n")
        subprocess.run([KATA, "import", lines], env=environment, check=True)
        subprocess.run([KATA, "plan", "--until", "2099-12-20", "--minutes", "45"],
                       env=environment, check=True, stdout=subprocess.DEVNULL)
        print(f"{'command':<20} {'median':>8} {'largest':>8}   ms")
        for command in COMMANDS:
            times = sorted(processor_ms(command, environment) for _ in range(STARTS))
            name = " ".join(["kata", *command])
            print(f"{name:<20} {times[STARTS // 2]:8.0f} {times[-1]:8.0f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How fast the page of `kata serve` is, and what it holds in memory.

    tests/bench/page.py [--repetitions N] [--checks N]

A benchmark, not a test: run it on a quiet machine. It works in a home and a practice folder of its
own, without the large cases, which take seconds and are the same work. Prints, each the median of
the repetitions:

    page      ms from the request for a page to its last byte; goal 100 ms
    check     ms of `kata check relu`, of Check in the page, and the difference; goal 50 ms
    finding   ms from Check to the first finding of a wrong relu, and to the verdict
    memory    MB of the server after so many checks; goal 100 MB after 500

What misses its goal has a star. KATA_BUILD is the build folder; else build.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KATA = pathlib.Path(os.environ.get("KATA_BUILD", ROOT / "build")) / "kata"
PAGES = ["/", "/exercises/relu/index.html", "/practice", "/drill", "/interview", "/quiz", "/mine/index.html"]
RELU = """#include <kata/kata.h>
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  GUARD y[i] = fmaxf(x[i], 0.0f);
}
extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<kata::ceil_div(n, 256), 256>>>(x, y, n);
}
"""
RIGHT, WRONG = RELU.replace("GUARD", "if (i < n)"), RELU.replace("GUARD", "")


class Page:
    def __init__(self, environment, folder):
        self.server = subprocess.Popen([KATA, "serve", "--no-open", "--port", "0"], env=environment,
                                       cwd=folder, stdout=subprocess.PIPE, text=True)
        self.server.stdout.readline()
        port, token = re.search(r":(\d+)/\?token=(\w+)", self.server.stdout.readline()).groups()
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port))
        self.headers = {"Cookie": f"kata_{port}={token}", "Origin": f"http://127.0.0.1:{port}"}

    def ask(self, method, path):
        self.connection.request(method, path, body="{}" if method == "POST" else None, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body.decode()}")
        return body

    def check(self):
        """Seconds to the first finding, if any, and to the verdict."""
        start = time.perf_counter()
        identity = json.loads(self.ask("POST", "/api/checks/relu"))["id"]
        state, first = {"version": 0, "done": False}, None
        while not state["done"]:
            state = json.loads(self.ask("GET", f"/api/checks/{identity}?seen={state['version']}"))
            if state["findings"] and first is None:
                first = time.perf_counter() - start
        return first, time.perf_counter() - start

    def megabytes(self):
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def line(what, value, unit, goal=None):
    star = " *" if goal is not None and value > goal else ""
    print(f"{what:36}{value:8.1f} {unit}{star}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--checks", type=int, default=500)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    for name in ("exercises", "solutions", "docs", "harness"):
        (shutil.copytree if name == "exercises" else lambda a, b: b.symlink_to(a))(ROOT / name, folder / name)
    environment = os.environ | {"KATA_ROOT": str(folder), "KATA_HOME": str(folder / "home"), "KATA_LARGE_CASES": "off"}
    file = folder / "exercises/relu/relu.cu"
    page = Page(environment, folder)
    try:
        for path in PAGES:
            median = statistics.median(timed(lambda: page.ask("GET", path)) for _ in range(options.repetitions))
            line(f"page {path}", 1000 * median, "ms", 100)
        file.write_text(RIGHT)
        command = [KATA, "check", "relu"]
        page.check()
        terminal, here = [], []
        for _ in range(options.repetitions):
            terminal.append(timed(lambda: subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL)))
            here.append(page.check()[1])
        line("check in the terminal", 1000 * statistics.median(terminal), "ms")
        line("check in the page", 1000 * statistics.median(here), "ms")
        line("  more than in the terminal", 1000 * (statistics.median(here) - statistics.median(terminal)), "ms", 50)
        file.write_text(WRONG)
        page.check()
        seen = [page.check() for _ in range(options.repetitions)]
        line("first finding", 1000 * statistics.median(one[0] for one in seen), "ms")
        line("  its verdict", 1000 * statistics.median(one[1] for one in seen), "ms")
        file.write_text(RIGHT)
        for _ in range(options.checks):
            page.check()
        line(f"memory after {options.checks} checks", page.megabytes(), "MB", 100)
    finally:
        page.server.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

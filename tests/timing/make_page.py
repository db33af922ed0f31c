#!/usr/bin/env python3
"""Writes docs/measured/estimates.md from what the tests of the estimates print.

    tests/timing/make_page.py            after: cmake --build build --target test_timing
"""

import datetime
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAGE = """# Estimated and measured times

`tests/timing/make_page.py` writes this page from the output of
`build/test_timing -s -tc='estimates order*'`. Measured times: `solutions/<op>/times.csv`, each with
its chip, an H200 or an H100, and its date. Estimates, for that chip: {date}, from `solutions/<op>/profiles.jsonl`. [Times without a
GPU](../estimate.md) explains the words.

A pair of rungs counts if their measured times differ by more than their interquartile ranges and by
more than 3 %, which is how far a rung's time moves from one run to the next. Two equal estimates
of such a pair count as wrong.

All ladders that the constants were fitted to: Kendall's tau {tau}, median error of
the ratio to the best rung {error}. If pairs closer than 3 % count, too, tau is
{fitted} for these ladders and {others} for the others.
"""


def number(text):
    return f"{float(text):.3f}"


def main():
    run = subprocess.run([ROOT / "build/test_timing", "-s", "-tc=estimates order*"],
                         capture_output=True, text=True, check=True)
    out = run.stdout
    tau, pairs, error = re.search(r"Kendall's tau (\S+) over (\d+) pairs; .* best (\S+)", out).groups()
    by_quartiles = {ladders: f"{number(one)} over {count} pairs" for ladders, one, count in
                    re.findall(r"(\w+), ties by quartiles alone: tau (\S+) over (\d+)", out)}
    lines = [PAGE.format(date=datetime.date.today(), tau=f"{number(tau)} over {pairs} pairs",
                         error=number(error), **by_quartiles)]

    lines += ["## Operators left out of the fit\n",
              "The constants are fitted again without one operator, and then estimate it.\n",
              "| left out | tau | median error of the ratio to the best |", "|---|--:|--:|"]
    for name, one, ratio in re.findall(r"MESSAGE: (\w+) left out: tau (\S+), .* ratio (\S+)", out):
        lines.append(f"| {name} | {number(one)} | {number(ratio)} |")
    one, ratio = re.search(r"all left out in turn: tau (\S+), .* ratio (\S+)", out).groups()
    lines.append(f"| all pairs together | {number(one)} | {number(ratio)} |\n")

    lines += ["## Operators that were never part of the fit\n", "| operator | tau | pairs |", "|---|--:|--:|"]
    for name, one, count in re.findall(r"MESSAGE: (\w+), not fitted to: tau (\S+) over (\d+)", out):
        lines.append(f"| {name} | {number(one)} | {count} |")
    one, count = re.search(r"not fitted to: tau (\S+) over (\d+) pairs", out).groups()
    lines.append(f"| all pairs together | {number(one)} | {count} |\n")

    lines += ["## Every rung of the fitted ladders\n",
              "| operator | size | rung | measured us | estimated us | estimated / measured |",
              "|---|---|---|--:|--:|--:|"]
    for operator, size, rows in re.findall(r"table := (\w+) (\S+)\n((?:  \S+  measured .*\n)+)", out):
        for rung, measured, estimated in re.findall(r"(\S+)  measured (\S+)  estimated (\S+)", rows):
            measured, estimated = float(measured), float(estimated)
            lines.append(f"| {operator} | {size} | {rung} | {measured:.1f} | {estimated:.1f} |"
                         f" {estimated / measured:.2f} |")
    (ROOT / "docs/measured/estimates.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

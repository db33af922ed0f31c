#!/usr/bin/env python3
"""Turns the bench.json of run_all.sh into docs/performance.md and solutions/*/times.csv, where kata
itself has the times from.

    tests/gpu/make_performance.py results/bench.json
"""

import json
import sys

from common import ROOT

HEAD = """# Measured performance

Every table below comes from one run on {date}: {gpu}, driver {driver}, CUDA {cuda}. The command
that reproduces a table stands above it; `tests/gpu/run_all.sh build bench` reproduces all of them,
and `tests/gpu/make_performance.py` writes this page from its output. [How a time is
measured](timing.md) says what the columns mean and how far to trust them. Figures drift from run to
run and from card to card: compare the rows of one table with each other.
"""


def rate(row, by_operations):
    return f"{row['tflop_per_s']:.1f} TFLOP/s" if by_operations else f"{row['gb_per_s']:.0f} GB/s"


def table(rows):
    by_operations = any(row["name"] == "limit (FFMA)" for row in rows)
    yield "| | median | quartiles apart | rate | of the limit | samples |"
    yield "|---|--:|--:|--:|--:|--:|"
    for row in rows:
        if row.get("error"):
            yield f"| {row['name']} | {row['error']} | | | | |"
            continue
        is_limit = row["name"].startswith("limit")
        mark = " (launch-bound)" if row["launch_bound"] and not is_limit else ""
        samples = row["samples"] or ""  # a limit of arithmetic is calculated
        spread = f"{row['iqr_us']:.1f} us" if samples else ""
        yield (f"| {row['name']}{mark} | {row['median_us']:.1f} us | {spread} |"
               f" {rate(row, by_operations)} | {100 * row['of_limit']:.0f} % | {samples} |")


def ladder(report):
    """The exercise is an unwritten stub on a fresh checkout: the ladder is what is measured."""
    return [row for row in report["timing"] if row["name"] != "yours"]


def times(results, report):
    yield "# {gpu}, driver {driver}, CUDA {cuda}, {date}: ".format(**results) \
        + f"kata bench {report['operator']}"
    yield "size,name,median_us,iqr_us,samples,of_limit"
    for row in ladder(report):
        if not row.get("error"):
            yield (f"{row['size']},{row['name']},{row['median_us']:.1f},{row['iqr_us']:.1f},"
                   f"{row['samples']},{row['of_limit']:.4f}")


def page(results):
    yield HEAD.format(**results)
    for report in results["reports"]:
        rows = ladder(report)
        yield f"## {report['operator']}\n\n`kata bench {report['operator']}`\n"
        for size in dict.fromkeys(row["size"] for row in rows):
            yield f"{size}:\n"
            yield from table([row for row in rows if row["size"] == size])
            yield ""


def write(path, lines):
    (ROOT / path).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    write("docs/performance.md", page(results))
    for report in results["reports"]:
        write(f"solutions/{report['operator']}/times.csv", times(results, report))


if __name__ == "__main__":
    main()

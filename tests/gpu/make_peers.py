#!/usr/bin/env python3
"""Writes docs/measured/peers.md: the first ladders beside other programs, from the kept times
(solutions/<op>/times.csv) and from the run that timed public kernels (peers.csv).

    tests/gpu/make_peers.py
"""

import csv

from common import ROOT
from make_performance import read_times, write

PAGE = """# The first ladders beside other programs

`tests/gpu/make_peers.py` writes this page. Both runs were on an NVIDIA H200, driver 580.159.04, CUDA
13.0. A ratio is the time of the other program divided by ours: below 1 is behind. Compare times of
one run only.

- *Kept*: the ladder's kept times ([performance](../performance.md)), from `kata bench <operator>`:
  the best rung, its share of the hardware's limit, and the fastest library.
- *{date}*: kata's best rung of that day beside compilers and public kernels too. Samples were
  interleaved, L2 was flushed by reads, medians of 200. {comment}.

| operator, size | best rung | us (date) | of the limit | library | us | ratio | kata, us {date} | best other | us | ratio |
|---|---|--:|--:|---|--:|--:|--:|---|--:|--:|
"""


def best(rows):
    return min(rows, key=lambda row: float(row["median_us"]), default=None)


def kept_cells(peer):
    """The cells from times.csv; empty ones for what was not measured."""
    _, date, _, rows = read_times(ROOT / "solutions" / peer["operator"] / "times.csv")
    rows = [row for row in rows if row["size"] == peer["size"]]
    ours = best(row for row in rows if row["name"][0].isdigit())
    library = best(row for row in rows
                   if not row["name"][0].isdigit() and not row["name"].startswith("limit"))
    if not ours:
        return ["not measured"] + [""] * 5
    us = float(ours["median_us"])
    cells = [ours["name"], f"{us:.1f} ({date})", f"{100 * float(ours['of_limit']):.0f} %"]
    if not library:
        return cells + [""] * 3
    library_us = float(library["median_us"])
    return cells + [library["name"], f"{library_us:.1f}", f"{library_us / us:.2f}"]


def line(peer):
    ours, other = float(peer["kata_us"]), float(peer["other_us"])
    cells = [f"{peer['operator']} {peer['size']}", *kept_cells(peer), f"{ours:.1f}", peer["other"],
             f"{other:.1f}", f"{other / ours:.2f}"]
    return f"| {' | '.join(cells)} |"


def main():
    with open(ROOT / "tests/gpu/peers.csv", encoding="utf-8") as file:
        origin, comment, *text = file.read().splitlines()
    date = origin.partition(": ")[0].split(", ")[-1]
    page = PAGE.format(date=date, comment=comment.removeprefix("# "))
    write("docs/measured/peers.md", [page.rstrip(), *map(line, csv.DictReader(text))])


if __name__ == "__main__":
    main()

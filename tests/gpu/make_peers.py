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
  That run had 42 sizes; the times of 8, where kata was level or ahead, were not kept. Sizes
  without them are compared with the library alone, and add, relu and sigmoid have none.

| operator, size | best rung | us (date) | of the limit | library | us | ratio | kata, us {date} | best other | us | ratio |
|---|---|--:|--:|---|--:|--:|--:|---|--:|--:|
"""


def best(rows):
    return min(rows, key=lambda row: float(row["median_us"]), default=None)


def all_rows(peers):
    """The rows of peers.csv, after those of an operator its other kept sizes; reduce_max last, which
    is not in peers.csv."""
    names = [*dict.fromkeys(peer["operator"] for peer in peers), "reduce_max"]
    for name in names:
        timed = [peer for peer in peers if peer["operator"] == name]
        yield from timed
        sizes = dict.fromkeys(row["size"] for row in kept_times(name)[1])
        for size in sizes:
            if size not in [peer["size"] for peer in timed]:
                yield {"operator": name, "size": size}


def kept_times(operator):
    """The date and the rows of an operator's times.csv."""
    _, date, _, rows = read_times(ROOT / "solutions" / operator / "times.csv")
    return date, rows


def kept_cells(peer):
    """The cells from times.csv; empty ones for what was not measured."""
    date, rows = kept_times(peer["operator"])
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


def peer_cells(peer):
    """The cells from peers.csv; empty ones for a size that is not there."""
    if "other" not in peer:
        return [""] * 4
    ours, other = float(peer["kata_us"]), float(peer["other_us"])
    return [f"{ours:.1f}", peer["other"], f"{other:.1f}", f"{other / ours:.2f}"]


def line(peer):
    cells = [f"{peer['operator']} {peer['size']}", *kept_cells(peer), *peer_cells(peer)]
    return f"| {' | '.join(cells)} |"


def main():
    with open(ROOT / "tests/gpu/peers.csv", encoding="utf-8") as file:
        origin, comment, *text = file.read().splitlines()
    date = origin.partition(": ")[0].split(", ")[-1]
    page = PAGE.format(date=date, comment=comment.removeprefix("# "))
    write("docs/measured/peers.md", [page.rstrip(), *map(line, all_rows(list(csv.DictReader(text))))])


if __name__ == "__main__":
    main()

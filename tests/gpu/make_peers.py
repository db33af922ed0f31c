#!/usr/bin/env python3
"""Writes docs/measured/peers.md: the first ladders beside other programs in one run (peers.csv, which
time_peers.py writes), and the kept times (solutions/<op>/times.csv).

    tests/gpu/make_peers.py
"""

import csv

from common import ROOT
from make_performance import read_times, write

PAGE = """# The first ladders beside other programs

Each row has times of two runs; compare times of one run only. `tests/gpu/make_peers.py` writes this
page.

- *Side by side*: {origin}.
  Timed were the two rungs that are fastest in the kept times, the ladder's libraries, PyTorch,
  torch.compile, Triton, and for sgemm four shapes of CUTLASS's SIMT kernel
  (`cutlass::gemm::device::Gemm`, commit 7107b0553). Samples are interleaved, L2 is flushed by reads,
  and TF32 is off. The ratio is the time of the best other program divided by that of our best rung:
  below 1 is behind.
- *Kept*: the ladder's kept times ([performance](../performance.md)), from `kata bench <operator>`:
  the best rung and its share of the hardware's limit.

{ahead}

| operator, size | rung | us | best other | us | ratio | kept: rung | us | of the limit | chip, date |
|---|---|--:|---|--:|--:|---|--:|--:|---|
"""


def is_rung(row):
    return row["name"][0].isdigit()


def fastest(rows):
    return min(rows, key=lambda row: float(row["median_us"]), default=None)


def side_by_side(rows):
    """Our best rung, the best other program, and their ratio."""
    ours, other = fastest(filter(is_rung, rows)), fastest(row for row in rows if not is_rung(row))
    return ours, other, float(other["median_us"]) / float(ours["median_us"])


def kept_cells(operator, size):
    gpu, date, _, rows = read_times(ROOT / "solutions" / operator / "times.csv")
    best = fastest(row for row in rows if row["size"] == size and is_rung(row))
    if not best:
        return ["not measured", "", "", ""]
    return [best["name"], f"{float(best['median_us']):.1f}", f"{100 * float(best['of_limit']):.0f} %",
            f"{gpu.removeprefix('NVIDIA ')}, {date}"]


def line(operator, size, rows):
    ours, other, ratio = side_by_side(rows)
    cells = [f"{operator} {size}", ours["name"], f"{float(ours['median_us']):.1f}", other["name"],
             f"{float(other['median_us']):.1f}", f"{ratio:.2f}", *kept_cells(operator, size)]
    return f"| {' | '.join(cells)} |"


def main():
    with open(ROOT / "tests/gpu/peers.csv", encoding="utf-8") as file:
        origin, *text = file.read().splitlines()
    sizes = {}
    for row in csv.DictReader(text):
        sizes.setdefault((row["operator"], row["size"]), []).append(row)
    ratios = [side_by_side(rows)[2] for rows in sizes.values()]
    level = sum(ratio >= 0.99 for ratio in ratios)
    ahead = (f"Side by side, {level} of {len(ratios)} rows are ahead or level within 1 %; the worst"
             f" ratio is {min(ratios):.2f}.")
    page = PAGE.format(origin=origin.removeprefix("# "), ahead=ahead)
    write("docs/measured/peers.md", [page.rstrip(), *(line(*key, rows) for key, rows in sizes.items())])


if __name__ == "__main__":
    main()

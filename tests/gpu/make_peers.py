#!/usr/bin/env python3
"""Writes docs/measured/peers.md: ladders beside other programs in one run (peers.csv, which
time_peers.py writes), and the kept times (solutions/<op>/times.csv).

    tests/gpu/make_peers.py
"""

import csv

from common import ROOT, operators
from make_performance import fastest, is_limit, is_other, is_rung, kept_times, write

COLUMNS = ["operator", "size", "name", "median_us", "iqr_us", "samples"]  # of peers.csv

PAGE = """# Ladders beside other programs

Each row has times of two runs; compare times of one run only. `tests/gpu/make_peers.py` writes this
page.

- *Side by side*: `tests/gpu/time_peers.py`.
  Timed were the two rungs that are fastest in the kept times, the ladder's libraries, PyTorch (for
  attention each of its kernels), torch.compile at some sizes, Triton, and for sgemm four shapes of
  CUTLASS's SIMT kernel (`cutlass::gemm::device::Gemm`, commit 7107b0553); `tests/gpu/peers/` has
  them by operator. Samples are interleaved, L2 is flushed by reads, and TF32 is off. The ratio is
  the time of the best other program divided by that of our best rung: below 1 is behind. "Of the
  limit": the time of a copy of the same bytes, or of a read where little is written, divided by
  that of our best rung.
- *Kept*: the ladder's kept times ([performance](../performance.md)), from `kata bench <operator>`:
  the best rung and its share of the hardware's limit.
- "distinct": no id of embedding is repeated. Sizes without kept times are drawn at random from the
  exercise's ranges, the same in each run; there the last rung is timed, and the fastest ones of the
  kept sizes.

Side by side were timed on:

{origins}

{ahead}

| operator, size | rung | us | best other | us | ratio | of the limit | kept: rung | us | of the limit | chip, date |
|---|---|--:|---|--:|--:|--:|---|--:|--:|---|
"""


def read_peers(path):
    """{operator: where and when it was timed} and {operator: lines of the table} of a peers.csv."""
    origins, rows = {}, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            origin, _, operators = line.removeprefix("# ").partition(": ")
            origins |= dict.fromkeys(operators.split(), origin)
        elif not line.startswith("operator,"):
            rows.setdefault(line.partition(",")[0], []).append(line)
    return origins, rows


def by_origin(origins, operators):
    """{origin: those of the operators that were timed there and then}."""
    groups = {}
    for operator in operators:
        groups.setdefault(origins[operator], []).append(operator)
    return groups


def side_by_side(rows):
    """Our best rung, the best other program, their ratio, and the best limit if one was timed."""
    ours, limit = fastest(filter(is_rung, rows)), fastest(filter(is_limit, rows))
    other = fastest(filter(is_other, rows))
    return ours, other, float(other["median_us"]) / float(ours["median_us"]), limit


def kept_cells(operator, size):
    gpu, date, rows = kept_times(operator)
    best = fastest(row for row in rows if row["size"] == size and is_rung(row))
    if not best:
        return ["not measured", "", "", ""]
    return [best["name"], f"{float(best['median_us']):.1f}", f"{100 * float(best['of_limit']):.0f} %",
            f"{gpu.removeprefix('NVIDIA ')}, {date}"]


def line(operator, size, rows):
    ours, other, ratio, limit = side_by_side(rows)
    of_limit = f"{100 * float(limit['median_us']) / float(ours['median_us']):.0f} %" if limit else ""
    cells = [f"{operator} {size}", ours["name"], f"{float(ours['median_us']):.1f}", other["name"],
             f"{float(other['median_us']):.1f}", f"{ratio:.2f}", of_limit,
             *kept_cells(operator, size)]
    return f"| {' | '.join(cells)} |"


def ratios_said(sizes, where, chosen):
    """A sentence on the rows of `sizes` that are chosen, by their operator and size."""
    ratios = {key: side_by_side(rows)[2] for key, rows in sizes.items() if chosen(*key)}
    if not ratios:
        return f"No row yet {where}."
    level = sum(ratio >= 0.99 for ratio in ratios.values())
    worst = min(ratios, key=ratios.get)
    return (f"Side by side {where}, {level} of {len(ratios)} rows are ahead or level within 1 %;"
            f" the worst ratio is {ratios[worst]:.2f} ({' '.join(worst)}).")


def main():
    origins, lines = read_peers(ROOT / "tests/gpu/peers.csv")
    sizes = {}
    for row in csv.DictReader((line for of_one in lines.values() for line in of_one), COLUMNS):
        sizes.setdefault((row["operator"], row["size"]), []).append(row)
    sizes = {key: rows for key, rows in sizes.items()  # a ratio needs both
             if any(map(is_rung, rows)) and any(map(is_other, rows))}
    kept = {operator: {row["size"] for row in kept_times(operator).rows} for operator, _ in sizes}
    is_kept = lambda operator, size: size.split()[0] in kept[operator]
    missing = [operator for operator in operators() if operator not in kept]
    ahead = [ratios_said(sizes, "at the kept sizes", is_kept),
             ratios_said(sizes, "at random sizes", lambda *key: not is_kept(*key))]
    compiled = {operator for (operator, _), rows in sizes.items()
                if any(row["name"].startswith("torch.compile") for row in rows)}
    if missing:
        ahead.append(f"Not timed yet: {', '.join(missing)}.")
    if compiled != set(kept):
        ahead.append("Without torch.compile: "
                     f"{', '.join(operator for operator in kept if operator not in compiled)}.")
    timed = [f"- {origin}: {', '.join(names)}"
             for origin, names in by_origin(origins, lines).items()]
    page = PAGE.format(origins="\n".join(timed), ahead="\n\n".join(ahead))
    write("docs/measured/peers.md", [page.rstrip(), *(line(*key, rows) for key, rows in sizes.items())])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes what `run_all.sh bench` measured: solutions/<op>/times.csv, which kata reads, and
docs/measured/<op>.md, for each operator in bench.json. Then brings up to date what is made from all
operators' files: the summary docs/performance.md and the line "Measured:" in each rung's header.

    tests/gpu/make_performance.py results/bench.json
    tests/gpu/make_performance.py                      the summary and the headers alone
"""

import csv
import functools
import json
import re
import sys
import typing

from common import ROOT, operators, rungs

PAGE = """# {operator} on an {gpu}

{gpu}, driver {driver}, CUDA {cuda}, {date}. `kata bench {operator}` reproduces these tables.
[How a time is measured](../timing.md) explains the columns.
"""

SUMMARY = """# Measured performance

For each operator measured so far, the table shows the first benchmarked size: the best rung there,
the fastest library, and the best rung's share of the hardware's limit. Click on an operator for
every rung and every size. `tests/gpu/run_all.sh build bench` measures them all and
`tests/gpu/make_performance.py` writes these pages. [How a time is measured](timing.md) explains how
far to trust a figure. Times drift from run to run and from card to card, so compare only rows of
the same operator's page, which were measured together.

| operator | size | best rung | median | library | median | best rung's share of the limit | chip, date |
|---|---|---|--:|---|--:|--:|---|
"""

INVENTORY = """
## Rungs, cases and test kernels

The column "cases" gives the number of cases that run both in the emulator and on a GPU and, after
the +, of those that run only on a GPU. Each check adds a few cases whose sizes depend on the seed.
The column "faults" counts kernels with one planted fault, which must be rejected. The column
"accepted" counts correct but unusual kernels, which must pass ([contributing](contributing.md)).

| operator | rungs | lines of each rung | cases | faults | accepted |
|---|--:|---|--:|--:|--:|
"""


def rate(row, by_operations):
    return f"{row['tflop_per_s']:.1f} TFLOP/s" if by_operations else f"{row['gb_per_s']:.0f} GB/s"


def table(rows):
    by_operations = any(row["name"].startswith(("limit (FFMA", "limit (tensor")) for row in rows)
    yield "| | median | interquartile range | rate | of the limit | samples |"
    yield "|---|--:|--:|--:|--:|--:|"
    for row in rows:
        if row.get("error"):
            yield f"| {row['name']} | {row['error']} | | | | |"
            continue
        is_limit = row["kind"] == "limit"
        mark = " (launch-bound)" if row["launch_bound"] and not is_limit else ""
        samples = row["samples"] or ""  # a limit of arithmetic is calculated
        spread = f"{row['iqr_us']:.1f} us" if samples else ""
        yield (f"| {row['name']}{mark} | {row['median_us']:.1f} us | {spread} |"
               f" {rate(row, by_operations)} | {100 * row['of_limit']:.0f} % | {samples} |")


def ladder(report):
    """The exercise is an unwritten stub on a fresh checkout: the ladder is what is measured."""
    return [row for row in report["timing"] if row["kind"] != "yours"]


def times(results, report):
    yield "# {gpu}, driver {driver}, CUDA {cuda}, {date}: ".format(**results) \
        + f"kata bench {report['operator']}"
    yield "size,name,median_us,iqr_us,samples,of_limit"
    for row in ladder(report):
        if not row.get("error"):
            yield (f"{row['size']},{row['name']},{row['median_us']:.1f},{row['iqr_us']:.1f},"
                   f"{row['samples']},{row['of_limit']:.4f}")


def page(results, report):
    yield PAGE.format(operator=report["operator"], **results)
    rows = ladder(report)
    for size in dict.fromkeys(row["size"] for row in rows):
        if all(row.get("error") for row in rows if row["size"] == size):
            yield f"{size}: {next(row['error'] for row in rows if row['size'] == size)}\n"
            continue
        yield f"{size}:\n"
        yield from table([row for row in rows if row["size"] == size])
        yield ""


class KeptTimes(typing.NamedTuple):
    gpu: str
    date: str
    rows: list  # {column: text}


@functools.cache
def kept_times(operator):
    """What an operator's times.csv says."""
    path = ROOT / "solutions" / operator / "times.csv"
    origin, *lines = path.read_text(encoding="utf-8").splitlines()
    gpu, *_, date = origin.removeprefix("# ").partition(": ")[0].split(", ")
    return KeptTimes(gpu, date, list(csv.DictReader(lines)))


def is_rung(row):
    return row["name"][0].isdigit()


def is_limit(row):
    return row["name"].startswith("limit")


def is_other(row):
    return not is_rung(row) and not is_limit(row)


def fastest(rows):
    """The row with the least median; None if there are no rows."""
    return min(rows, key=lambda row: float(row["median_us"]), default=None)


def summary_row(operator):
    """One operator's line of the summary."""
    gpu, date, rows = kept_times(operator)
    first = [row for row in rows if row["size"] == rows[0]["size"]]
    best, library = fastest(filter(is_rung, first)), fastest(filter(is_other, first))
    of_library = (library["name"], f"{library['median_us']} us") if library else ("", "")
    cells = (f"[{operator}](measured/{operator}.md)", best["size"], best["name"],
             f"{best['median_us']} us", *of_library, f"{100 * float(best['of_limit']):.0f} %",
             f"{gpu}, {date}")
    return f"| {' | '.join(cells)} |"


def count_cases(operator, member):
    """How many cases the list `member` of a problem file has."""
    text = (ROOT / "harness/problems" / f"{operator}.cpp").read_text(encoding="utf-8")
    start = re.search(rf"\.{member} =\s*{{", text := re.sub(r"//.*", "", text))
    depth = count = 0
    for brace in re.findall(r"[{}]", text[start.start():]) if start else []:
        depth += 1 if brace == "{" else -1
        count += (depth, brace) == (2, "{")
        if depth == 0:
            break
    return count


def inventory_row(operator):
    """One operator's line of the inventory."""
    lines = [len((ROOT / rung).read_text(encoding="utf-8").splitlines())
             for rung in rungs(operator)]
    candidates = lambda kind: str(len(list((ROOT / "tests" / kind / operator).glob("*.cu"))))
    faults = ROOT / "solutions" / operator / "faults.toml"
    planted = faults.read_text().count("[[fault]]") if faults.exists() else 0
    cases = "{} + {}".format(*(count_cases(operator, of) for of in ("cases", "large_cases")))
    cells = (operator, str(len(lines)), " ".join(map(str, lines)), cases, str(planted),
             candidates("accepted"))
    return f"| {' | '.join(cells)} |"


def measured_line(old, name, operator):
    """The line of the rung `name`. It keeps the size that `old` gives, or takes the first one."""
    gpu, date, rows = kept_times(operator)
    asked = re.search(r" at ([^\s,]+)", old)
    size = asked[1] if asked else rows[0]["size"]
    row = next((row for row in rows if (row["name"], row["size"]) == (name, size)), None)
    if not row:
        return "// Measured: not yet" + (f" at {size}" if asked else "")
    percent = 100 * float(row["of_limit"])
    share = f"{percent:.0f}" if percent >= 10 else f"{percent:.1f}"
    return (f"// Measured: {row['median_us']} us at {size}, {share} % of the limit"
            f" ({gpu.removeprefix('NVIDIA ')}, {date})")


def write_headers(operator):
    """The line "Measured:" in the header of each of an operator's rungs."""
    for rung in sorted((ROOT / "solutions" / operator).glob("[0-9]*.cu")):
        text = rung.read_text(encoding="utf-8")
        old = re.search(r"^// Measured: .*$", text, re.MULTILINE)
        if not old:
            sys.exit(f"{rung}: add the line '// Measured: not yet' to the header")
        rung.write_text(text.replace(old[0], measured_line(old[0], rung.stem, operator), 1),
                        encoding="utf-8")


def write(path, lines):
    path = ROOT / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main():
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            results = json.load(file)
        for report in results["reports"]:
            write(f"docs/measured/{report['operator']}.md", page(results, report))
            write(f"solutions/{report['operator']}/times.csv", times(results, report))
    kept = sorted(path.parent.name for path in (ROOT / "solutions").glob("*/times.csv"))
    write("docs/performance.md", [SUMMARY.rstrip(), *map(summary_row, kept), INVENTORY.rstrip(),
                                  *map(inventory_row, operators())])
    for operator in kept:
        write_headers(operator)


if __name__ == "__main__":
    main()

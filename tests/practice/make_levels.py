#!/usr/bin/env python3
"""Writes the table of docs/measured/levels.md: the level of each rung, as if it were somebody's file.

    KATA_LEVELS=/tmp/levels build/tests/test_practice -tc='nine of ten rungs*'   # 4 minutes on 16 cores
    tests/practice/make_levels.py /tmp/levels
"""

import collections
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/measured/levels.md"
HEAD = "| operator | own level | as fast as others | no estimate | another level |\n|---|---|---|---|---|\n"
KINDS = ("own", "group", "counts", "other")


def place(line):
    """Operator by operator, and by the rung's number: the test writes in the order in which it ends."""
    operator, name = (cell.strip() for cell in line.split("|")[1:3])
    return operator, int(name.split("_")[0])


def main(levels):
    kinds = collections.defaultdict(lambda: {kind: [] for kind in KINDS})
    for line in sorted(pathlib.Path(levels).read_text().splitlines(), key=place):
        operator, name, level, same, _, worst = (cell.strip() for cell in line.strip("|").split("|"))
        number = name.split("_")[0]
        if level == "no estimate":
            kinds[operator]["counts"].append(number)
        elif level != number and name not in same.split(", "):
            kinds[operator]["other"].append(f"{number} at {level} ({worst})")
        else:
            kinds[operator]["group" if same else "own"].append(number)
    table = HEAD
    for operator, one in sorted(kinds.items()):
        table += "| " + " | ".join([operator, *(", ".join(cell) for cell in one.values())]) + " |\n"
    sums = [str(sum(len(one[kind]) for one in kinds.values())) for kind in KINDS]
    table += "| all | " + " | ".join(sums) + " |\n"
    page = PAGE.read_text()
    begin = page.index(HEAD.splitlines()[0])
    end = page.find("\n\n", begin)
    PAGE.write_text(page[:begin] + table + page[end + 1:])


if __name__ == "__main__":
    main(sys.argv[1])

"""The phase `fakes` of run_all.sh: candidates whose times would be too good, in tests/gpu/fakes."""

import csv
import json

from common import ROOT, in_parallel, run, summary, write

FOLDER = ROOT / "tests/gpu/fakes"
LEAST_SHARE = 0.85  # of the honest kernel's time


def expected():
    lines = (FOLDER / "expected.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def checked(arguments, name, size):
    """`kata check` of one candidate, at one size if it is named: the judge would look at that size,
    too. The verdict, what is said, and the time of yours."""
    file = f"tests/gpu/fakes/{name}.cu"
    status, output, errors = run(
        [arguments.kata, "check", file, "--backend", "gpu", "--json",
         *(["--size", size] if size else [])], 120)
    try:
        report = json.loads(output)
    except ValueError:
        return {"verdict": f"exit {status}", "messages": [output[-500:] + errors[-500:]], "us": 0}
    yours = [row for row in report.get("timing", []) if row["kind"] == "yours"]
    return {"verdict": report["verdict"], "us": yours[0].get("median_us", 0) if yours else 0,
            "messages": [finding["message"] for finding in report.get("findings", [])
                         if finding["severity"] != "advice"]
            + [row["error"] for row in yours if row.get("error")] + [report.get("error") or ""]}


def what_is_wrong(row, found, honest_us):
    """Empty if it came as expected."""
    if row["outcome"] == "rejected":
        said = any(row["words"] in message for message in found["messages"])
        return "" if found["verdict"] == "fail" and said else \
            f"{found['verdict']}, {found['us']:.1f} us, {found['messages']}"
    if found["verdict"] == "pass" and found["us"] >= LEAST_SHARE * honest_us > 0:
        return ""
    return f"{found['verdict']}, {found['us']:.1f} us beside {honest_us:.1f}, {found['messages']}"


def phase_fakes(arguments):
    rows = expected()
    # The compiler needs no GPU, and keeps its modules.
    in_parallel(lambda name: run([arguments.kata, "check", f"tests/gpu/fakes/{name}.cu", "--backend",
                                  "gpu", "--no-ladder"], 120),
                ["honest", *(row["name"] for row in rows)], 8)
    honest = {size: checked(arguments, "honest", size) for size in {row["size"] for row in rows}}
    results, lines = [], []
    listed = {"honest", *(row["name"] for row in rows)}
    lines += [f"  {file.name} is not in expected.csv" for file in sorted(FOLDER.glob("*.cu"))
              if file.stem not in listed]
    for size, one in honest.items():
        if one["verdict"] != "pass":
            lines.append(f"  honest {size}: {one['verdict']} {one['messages']}")
    for row in rows:
        found = checked(arguments, row["name"], row["size"])
        wrong = what_is_wrong(row, found, honest[row["size"]]["us"])
        results.append({**row, **found, "wrong": wrong})
        if wrong:
            lines.append(f"  {row['name']}: {wrong}")
    write(arguments, "fakes.json", {"honest": honest, "fakes": results})
    right = sum(not one["wrong"] for one in results)
    summary(arguments, f"fakes: {right} of {len(results)} as expected", lines)
    return not lines and len(results) > 0

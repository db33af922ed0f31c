"""compute-sanitizer over candidates: every solution must be clean (sanitize); what each tool says
of faulty ones is written down (mutants)."""

import csv
import os
import pathlib
import re
import tempfile
from collections import Counter

from common import ROOT, compile_with_lines, in_parallel, judge_job, operator_of, passes, run, \
    small_shapes, solutions, summary

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# What only compute-sanitizer can see: planted faults that prove that it sees anything.
PLANTED = {
    "tests/verdicts/hostile/over_read.cu": "memcheck",
    "tests/verdicts/wrong/reduce_sum_race.cu": "racecheck",
}


def sanitize(arguments, file, module, tool):
    """The worker itself under compute-sanitizer, on a judge's job with small cases. Without guard
    zones: inside them memcheck takes an access for a good one. Exit status, the tool's own summary,
    how many cases passed, all that was printed."""
    if not isinstance(module, pathlib.Path):
        return 2, "does not compile", 0, module
    operator = operator_of(file)
    if not operator:
        return 2, "defines no operator", 0, ""
    job = judge_job(module, operator, small_shapes(arguments.kata, operator))
    answers = arguments.modules / f"{module.name}-{tool}.answers"
    worker = f"exec '{arguments.build}/kata-worker-gpu' 3>'{answers}'"
    status, output, errors = run(
        ["compute-sanitizer", "--target-processes", "all", "--tool", tool,
         "--error-exitcode", "99", "sh", "-c", worker],
        110, input=job, env={**os.environ, "KATA_GUARD_ZONES": "off"})
    found = re.search(r"(ERROR SUMMARY|RACECHECK SUMMARY): (.*)", output)
    verdict = found[2] if found else f"no summary, exit {status}"
    return status, verdict, passes(answers), output + errors


def sanitize_all(arguments, pairs):
    """(file, tool) and what sanitize says of it, for each pair."""
    files = list(dict.fromkeys(file for file, _ in pairs))
    with tempfile.TemporaryDirectory() as folder:
        arguments.modules = pathlib.Path(folder)
        modules = dict(zip(files, in_parallel(lambda file: compile_with_lines(arguments, file),
                                              files, os.cpu_count())))
        return in_parallel(lambda pair: (*pair, *sanitize(arguments, pair[0], modules[pair[0]],
                                                          pair[1])), pairs, 10)


def phase_sanitize(arguments):
    wanted = [file for file in solutions()
              if not arguments.operators or pathlib.Path(file).parent.name in arguments.operators]
    pairs = [(file, tool) for file in wanted for tool in TOOLS]
    pairs += PLANTED.items()
    results = sanitize_all(arguments, pairs)
    bad = []
    with open(arguments.out / "sanitizer.txt", "w", encoding="utf-8") as log:
        for file, tool, status, verdict, judged, text in results:
            clean = status == 0 and re.match(r"0 (errors|hazards)", verdict) and judged > 0
            wrong = "" if clean else f"{verdict}; {judged} passes"
            log.write(f"{file} {tool}: {wrong or 'clean'}\n")
            if wrong:
                log.write(text[:4000] + "\n")
            if PLANTED.get(file) == tool:
                wrong = "" if re.match(r"[1-9]", wrong) else f"not found ({wrong or 'clean'})"
            if wrong:
                bad.append(f"  {file} {tool}: {wrong}")
    summary(arguments, f"sanitize: {len(results) - len(bad)} of {len(results)} as expected", bad)
    return not bad and len(results) > 0


def reports_of(text):
    """What compute-sanitizer printed, as (kind, "file:line" or ""), in its order. A report begins
    with a line that is not indented and goes on with lines that are."""
    reports = []
    for line in text.splitlines():
        if not line.startswith("========= "):
            continue
        line = line[len("========= "):]
        if not line.startswith(" "):
            if re.match(r"COMPUTE-SANITIZER|\w+ SUMMARY|Error: Target|Target application|Error: No|"
                        r"Error: process|LEAK", line) or not line.strip():
                continue
            kind = re.split(r" (?:of size|at|between|due to|in block|on address)\b", line)[0]
            reports.append([kind.rstrip(" ."), ""])
        if not reports:
            continue
        if "is misaligned" in line and "misaligned" not in reports[-1][0]:
            reports[-1][0] += ", misaligned"
        place = re.search(r"([^\s:/]+\.cuh?):(\d+)", line)
        if place and not reports[-1][1]:
            reports[-1][1] = f"{place[1]}:{place[2]}"
    return [tuple(report) for report in reports]


def mutants(folders):
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.cu")]
    return sorted(str(file.relative_to(ROOT)) for file in files)


def planted(arguments, folder):
    """The faulty kernels of faults.toml, written below the folder."""
    run([arguments.kata, "test", "--plant", str(folder)], 60)
    return sorted(str(file) for part in ("solutions", "tests")
                  for file in pathlib.Path(folder).glob(f"**/{part}/**/*.cu")
                  if not any(parent.is_symlink() for parent in file.parents))


def phase_mutants(arguments):
    """Which tool says what of each faulty candidate: mutants.csv, and the texts in mutants.txt."""
    files = mutants(arguments.mutants)
    results = sanitize_all(arguments, [(file, tool) for file in files for tool in TOOLS])
    unjudged = []
    with open(arguments.out / "mutants.csv", "w", encoding="utf-8", newline="") as table, \
         open(arguments.out / "mutants.txt", "w", encoding="utf-8") as log:
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["file", "tool", "reports", "kinds", "first_line", "summary", "passes"])
        for file, tool, status, verdict, judged, text in results:
            reports = reports_of(text)
            kinds = Counter(kind for kind, _ in reports)
            places = [place for _, place in reports if place]
            rows.writerow([file, tool, len(reports),
                           "; ".join(f"{kind} x{count}" for kind, count in kinds.items()),
                           places[0] if places else "", verdict, judged])
            log.write(f"== {file} {tool}: {verdict}\n{text[:3000]}\n")
            if not re.match(r"\d", verdict):
                unjudged.append(f"  {file} {tool}: {verdict}")
    summary(arguments, f"mutants: {len(results) - len(unjudged)} of {len(results)} runs said"
                       f" something of {len(files)} files", unjudged)
    return bool(files) and not unjudged

#!/usr/bin/env python3
"""The phases of run_all.sh that use the built program."""

import argparse
import csv
import datetime
import json
import os
import pathlib
import sys
import tempfile
import time

from common import (ROOT, chip, in_parallel, operators, rungs, run, small_shapes, solutions, summary,
                    write, write_table)
from fakes import phase_fakes
from fidelity import phase_emulated, phase_fidelity
from sanitizer import phase_mutants, phase_sanitize, planted
from seeds import phase_seeds

# Faults that a GPU shows, and the finding that must name each.
PLANTED = {
    "tests/verdicts/hostile/crash.cu": "crash",
    "tests/verdicts/hostile/exit_zero.cu": "crash",
    "tests/verdicts/hostile/endless_host.cu": "timeout",
    "tests/verdicts/hostile/endless_kernel.cu": "timeout",
    "tests/verdicts/hostile/illegal_address.cu": "out_of_bounds",
    "tests/verdicts/hostile/too_many_threads.cu": "cuda_error",
    "tests/verdicts/hostile/writes_input.cu": "input_modified",
    "tests/gpu/planted/past_the_end.cu": "out_of_bounds",
    "tests/gpu/planted/before_the_start.cu": "out_of_bounds",
    "tests/gpu/planted/misaligned.cu": "misaligned",
    "tests/gpu/planted/too_much_shared.cu": "cuda_error",
}
# A race need not show in the result.
MAY_PASS = {"tests/verdicts/wrong/reduce_sum_race.cu"}
# Libraries that compute something similar, there for their time: the tanh form of GELU; and C in
# half or bfloat16 rounded twice, up to 1.7 times the tolerance (H200, 2026-11-23 and 29).
ONLY_TIMED = {"solutions/gemm_bias_gelu/library_cublaslt_tanh.cu",
              "solutions/grouped_gemm/library_cublas.cu",
              "solutions/hgemm/library_cublas.cu", "solutions/hgemm/library_cublaslt.cu"}
OTHER_ENTRY = {"tests/accepted/relu/other_name.cu": "solve",
               "tests/accepted/add/struct_and_pointer.cu": "add"}


def check(arguments, file, limit_s=120, options=(), backend="gpu"):
    """`kata check` of one file, as one entry of verdicts.json."""
    entry = ["--entry", OTHER_ENTRY[file]] if file in OTHER_ENTRY else []
    began = time.monotonic()
    status, output, errors = run(
        [arguments.kata, "check", file, "--backend", backend, "--json", *entry, *options], limit_s)
    result = {"file": file, "exit_status": status, "seconds": round(time.monotonic() - began, 2)}
    try:
        report = json.loads(output)
        for key in ("operator", "device", "verdict", "error", "detail", "findings",
                    "explanation"):
            result[key] = report.get(key)
        result["cases"] = len(report.get("cases", []))
        result["bad_cases"] = [c for c in report.get("cases", []) if c["verdict"] != "pass"]
        result["timing"] = report.get("timing", [])
    except ValueError:
        result["verdict"] = "no report"
        result["detail"] = output[-2000:] + errors[-2000:]
    return result


def untimed(result):
    """Checks that ran at the same time: their verdicts count, their times mean nothing. Of the
    table only the reasons stay why a row has no time."""
    result["rows_without_time"] = [r for r in result.pop("timing", []) if r.get("error")]
    return result


def what_is_wrong(result, expected):
    """Empty if a check ended as expected: "pass", "fail" or the kind of a finding."""
    if expected in ("pass", "fail"):
        if result["verdict"] != expected:
            return f"{result['verdict']}, expected {expected}"
        timed = result["file"].startswith("solutions/")  # others may be right and too slow to time
        if timed and result["rows_without_time"]:
            row = result["rows_without_time"][0]
            return f"no time for {row['name']}: {row['error']}"
        return ""
    kinds = [finding["kind"] for finding in result.get("findings") or []]
    if result["verdict"] == "fail" and expected in kinds:
        return ""
    return f"{result['verdict']} with findings {kinds}, expected fail with {expected}"


def phase_check(arguments):
    expected = {file: "pass" for file in solutions()}
    for folder, verdict in (("accepted", "pass"), ("verdicts/wrong", "fail")):
        for file in sorted((ROOT / "tests" / folder).rglob("*.cu")):
            expected[str(file.relative_to(ROOT))] = verdict
    expected.update(PLANTED)
    for file in MAY_PASS | ONLY_TIMED:
        del expected[file]
    if arguments.operators:
        expected = {file: verdict for file, verdict in expected.items()
                    if pathlib.Path(file).parent.name in arguments.operators}
    # One of each operator with its whole ladder timed; the others need only their verdict.
    first = {pathlib.Path(file).parent.name: file for file in reversed(solutions())
             if file in expected}
    results = in_parallel(lambda file: untimed(check(arguments, file, limit_s=200)),
                          first.values(), 12)
    others = [file for file in expected if file not in first.values()]
    results += in_parallel(
        lambda file: untimed(check(arguments, file, options=["--no-ladder"])), others, 6)
    lines = []
    for result in results:
        result["wrong"] = what_is_wrong(result, expected[result["file"]])
        if result["wrong"]:
            lines.append(f"  {result['file']}: {result['wrong']}")
    write(arguments, "verdicts.json", results)
    summary(arguments, f"check: {len(results) - len(lines)} of {len(results)} as expected", lines)
    return not lines and len(results) > 0


def phase_verdicts(arguments):
    """What the judge says of each fault on this GPU: h200_faults.csv, as tests/fidelity has it. The
    faults of operators that this run leaves out keep their rows."""
    operator_of_file = lambda file: pathlib.Path(file).parent.name
    with tempfile.TemporaryDirectory() as scratch:
        results = in_parallel(
            lambda file: check(arguments, file, options=["--no-ladder", "--seed", "1"]),
            [file for file in planted(arguments, scratch)
             if not arguments.operators or operator_of_file(file) in arguments.operators],
            os.cpu_count())
    judged = {operator_of_file(result["file"]) for result in results}
    table = (ROOT / "tests/fidelity/h200_faults.csv").read_text(encoding="utf-8").splitlines()
    kept = [line.split(",", 1) for line in table if not line.startswith("#")][1:]
    rows, unjudged = [row for row in kept if row[0] not in judged], []
    for result in results:
        kinds = dict.fromkeys(f["kind"] for f in result.get("findings") or []
                              if f["severity"] == "error")
        explanation = result.get("explanation") or result.get("error") or ""
        rows.append([operator_of_file(result["file"]), pathlib.Path(result["file"]).stem,
                     datetime.date.today().isoformat(), result["verdict"], " ".join(kinds),
                     explanation.replace("\n", " ")])
        if result["verdict"] not in ("pass", "fail"):
            unjudged.append(f"  {result['file']}: {result['verdict']} {explanation}")
    write_table(arguments, "h200_faults.csv", "build verdicts",
                ["operator", "fault", "date", "verdict", "kinds", "explanation"], sorted(rows))
    failed = sum(result["verdict"] == "fail" for result in results)
    summary(arguments, f"verdicts: {failed} of {len(results)} mutants fail", unjudged)
    return len(results) > 0 and not unjudged


def phase_unseen(arguments):
    """Candidates by someone who has not seen the judge: each backend's verdict beside what their
    author expects, from the columns file, expected (pass or fail) and fault of expected.csv."""
    with open(arguments.candidates / "expected.csv", newline="", encoding="utf-8") as table:
        candidates = list(csv.DictReader(table))
    rows = [[one["file"], one["expected"]] for one in candidates]
    lines = []
    for backend in arguments.backends:
        results = in_parallel(
            lambda one: check(arguments, str((arguments.candidates / one["file"]).resolve()),
                              options=["--no-ladder", "--seed", "1"], backend=backend),
            candidates, os.cpu_count())
        judged_rightly = 0
        for row, one, result in zip(rows, candidates, results):
            kinds = dict.fromkeys(f["kind"] for f in result.get("findings") or []
                                  if f["severity"] == "error")
            row.append(" ".join([result["verdict"], *kinds]))
            if result["verdict"] == one["expected"]:
                judged_rightly += 1
            else:
                why = result.get("explanation") or result.get("error") or ""
                lines.append(f"  {backend}: {one['file']}: {row[-1]}, expected {one['expected']}"
                             f" ({one['fault']}) {why}")
        lines.append(f"  {backend}: {judged_rightly} of {len(rows)} judged rightly")
    write_table(arguments, "unseen.csv", "build unseen",
                ["file", "expected", *arguments.backends, "fault"],
                [[*row, one["fault"]] for row, one in zip(rows, candidates)])
    summary(arguments, "unseen candidates", lines)
    return len(rows) > 0 and all(row[1] == row[i].split()[0] for row in rows
                                 for i in range(2, len(row)))


def phase_speed(arguments):
    """How long a person waits: a check with timing, nothing else running; once after a change of
    the file (compiled anew) and once unchanged."""
    results, lines = [], []
    for operator in operators():
        ladder = rungs(operator)
        if not ladder:
            continue
        text = (ROOT / ladder[-1]).read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"{operator}.cu"
            file.write_text(f"{text}\n// saved at {time.time()}\n")
            changed = check(arguments, str(file))
            unchanged = check(arguments, str(file))
        results.append({"operator": operator, "changed": changed, "unchanged": unchanged})
        lines.append(f"  {operator:14} {changed['seconds']:6.2f} s after a change,"
                     f" {unchanged['seconds']:6.2f} s unchanged, {unchanged['verdict']}")
    write(arguments, "speed.json", results)
    summary(arguments, "speed: kata check of the last rung, with timing (goal 3 s)", lines)
    return len(results) > 0 and all(r["unchanged"]["verdict"] == "pass" for r in results)


def phase_bench(arguments):
    """Every operator's table, one after the other; each is written as soon as it is there."""
    results, lines = [], []
    wanted = arguments.operators or operators()
    # Compile every ladder first, many at a time: the compiler needs no GPU, and keeps its modules.
    in_parallel(lambda operator: run(
        [arguments.kata, "bench", operator, "--json", "--size",
         "x".join(map(str, small_shapes(arguments.kata, operator)[0]))], 200), wanted, 6)
    origin = {"date": datetime.date.today().isoformat(), **chip()}
    for operator in wanted:
        began = time.monotonic()
        status, output, errors = run([arguments.kata, "bench", operator, "--json"], 200)
        try:
            results.append(json.loads(output))
        except ValueError:
            lines.append(f"  {operator}: exit {status}: {(errors or output)[-500:]}")
            continue
        write(arguments, "bench.json", {**origin, "reports": results})
        print(f"{operator}: {time.monotonic() - began:.1f} s", flush=True)
        for row in results[-1].get("timing", []):
            time_or_error = (f"{row['median_us']:10.1f} us {100 * row['of_limit']:5.1f} %"
                             if not row.get("error") else row["error"])
            lines.append(f"  {operator:14} {row['size']:18} {row['name']:28} {time_or_error}")
    summary(arguments, f"bench: {len(results)} of {len(wanted)} operators", lines)
    return results and len(results) == len(wanted) and all(r.get("timing") for r in results)


def main():
    phases = {"check": phase_check, "speed": phase_speed, "bench": phase_bench,
              "sanitize": phase_sanitize, "mutants": phase_mutants, "emulated": phase_emulated,
              "fidelity": phase_fidelity, "verdicts": phase_verdicts, "seeds": phase_seeds,
              "unseen": phase_unseen, "fakes": phase_fakes}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phase", choices=phases)
    parser.add_argument("--mutants", nargs="+", default=["tests/verdicts/wrong"],
                        help="folders of faulty candidates, for the phase of that name")
    parser.add_argument("--operators", nargs="+", help="for every phase but speed and mutants;"
                        " default: all")
    parser.add_argument("--candidates", type=pathlib.Path, help="for the phases emulated and fidelity: a"
                        " folder with the operators' folders; default: the ladders; for unseen: a"
                        " folder with candidates and expected.csv")
    parser.add_argument("--backends", nargs="+", default=["gpu", "emulator"],
                        help="for the phases seeds and unseen")
    parser.add_argument("--gpu-processes", type=int, default=4, help="for the phase seeds")
    parser.add_argument("--seconds", type=int, default=215, help="for the phase seeds")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "results")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.kata = str(arguments.build / "kata")
    arguments.out.mkdir(parents=True, exist_ok=True)
    sys.exit(0 if phases[arguments.phase](arguments) else 1)


if __name__ == "__main__":
    main()

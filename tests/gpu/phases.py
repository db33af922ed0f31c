#!/usr/bin/env python3
"""The phases of run_all.sh that use the built program: check, speed, bench, sanitize."""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
# What only compute-sanitizer can see: planted faults that prove that its phase sees anything.
PLANTED_FOR_SANITIZER = {
    "tests/verdicts/hostile/over_read.cu": "memcheck",
    "tests/verdicts/wrong/reduce_sum_race.cu": "racecheck",
}
# A race need not show in the result.
MAY_PASS = {"tests/verdicts/wrong/reduce_sum_race.cu"}
OTHER_ENTRY = {"tests/verdicts/right/relu.cu": "solve"}


def run(command, limit_s, **options):
    """Exit status (124: out of time), standard output, standard error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s,
                              errors="replace", cwd=ROOT, **options)
        return done.returncode, done.stdout, done.stderr
    except FileNotFoundError as missing:
        return 127, "", str(missing)
    except subprocess.TimeoutExpired as late:
        text = lambda part: part.decode(errors="replace") if isinstance(part, bytes) else part or ""
        return 124, text(late.stdout), text(late.stderr)


def in_parallel(function, items, workers):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))


def operators():
    return sorted(folder.name for folder in (ROOT / "exercises").iterdir() if folder.is_dir())


def solutions():
    """Every rung and every library, in the order of the ladders."""
    number = lambda file: (file.parent.name, int(re.match(r"\d*", file.name)[0] or 99), file.name)
    return [str(file.relative_to(ROOT))
            for file in sorted((ROOT / "solutions").glob("*/*.cu"), key=number)]


def check(arguments, file, limit_s=120):
    """`kata check` of one file on the GPU, as one entry of verdicts.json."""
    entry = ["--entry", OTHER_ENTRY[file]] if file in OTHER_ENTRY else []
    began = time.monotonic()
    status, output, errors = run(
        [arguments.kata, "check", file, "--backend", "gpu", "--json", *entry], limit_s)
    result = {"file": file, "exit_status": status, "seconds": round(time.monotonic() - began, 2)}
    try:
        report = json.loads(output)
        for key in ("operator", "device", "verdict", "error", "detail", "findings"):
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
    for kind, verdict in (("right", "pass"), ("wrong", "fail")):
        for file in sorted((ROOT / "tests/verdicts" / kind).rglob("*.cu")):
            expected[str(file.relative_to(ROOT))] = verdict
    expected.update(PLANTED)
    for file in MAY_PASS:
        del expected[file]
    # One of each operator first, so that the ladders' modules are compiled once and then cached.
    first = {pathlib.Path(file).parent.name: file for file in reversed(solutions())}
    in_parallel(lambda file: check(arguments, file, limit_s=200), first.values(), 12)
    results = in_parallel(lambda file: untimed(check(arguments, file)), expected, 6)
    lines = []
    for result in results:
        result["wrong"] = what_is_wrong(result, expected[result["file"]])
        if result["wrong"]:
            lines.append(f"  {result['file']}: {result['wrong']}")
    write(arguments, "verdicts.json", results)
    summary(arguments, f"check: {len(results) - len(lines)} of {len(results)} as expected", lines)
    return not lines and len(results) > 0


def phase_speed(arguments):
    """How long a person waits: a check with timing, nothing else running; once after a change of
    the file (compiled anew) and once unchanged."""
    results, lines = [], []
    for operator in operators():
        rungs = [file for file in solutions() if pathlib.Path(file).parent.name == operator
                 and not pathlib.Path(file).name.startswith("library_")]
        if not rungs:
            continue
        text = (ROOT / rungs[-1]).read_text()
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
    """Every operator's table, one after the other."""
    query = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 30)[1]
    gpu, _, driver = query.strip().splitlines()[0].partition(", ") if query.strip() else ("", "", "")
    nvcc = re.search(r"release ([\d.]+)", run(["nvcc", "--version"], 30)[1])
    results, lines = [], []
    for operator in operators():
        status, output, errors = run([arguments.kata, "bench", operator, "--json"], 60)
        try:
            results.append(json.loads(output))
        except ValueError:
            lines.append(f"  {operator}: exit {status}: {(errors or output)[-500:]}")
            continue
        for row in results[-1].get("timing", []):
            time_or_error = (f"{row['median_us']:10.1f} us {100 * row['of_limit']:5.1f} %"
                             if not row.get("error") else row["error"])
            lines.append(f"  {operator:14} {row['size']:18} {row['name']:28} {time_or_error}")
    write(arguments, "bench.json",
          {"date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver,
           "cuda": nvcc[1] if nvcc else "", "reports": results})
    summary(arguments, f"bench: {len(results)} of {len(operators())} operators", lines)
    return results and len(results) == len(operators()) and all(r.get("timing") for r in results)


def entry_of(file):
    """The entry function that a file defines, and small, awkward sizes for it: as many numbers as
    it takes ints."""
    text = (ROOT / file).read_text()
    operator, parameters = next(found for found in re.findall(
        r'extern "C" void (\w+)\(([^)]*)\)', text) if (ROOT / "solutions" / found[0]).is_dir())
    sizes = len(re.findall(r"\bint\b", parameters))
    return operator, {1: [[1], [257], [4099]], 2: [[1, 1], [17, 1023], [67, 260]],
                      3: [[1, 1, 1], [65, 33, 17], [130, 132, 40]]}[sizes]


def compile_with_lines(arguments, file):
    """A module with line numbers for compute-sanitizer; the error's text if it does not compile."""
    module = arguments.modules / (file.replace("/", "-") + ".so")
    libraries = ["-lcublas"] if "library_" in file else []
    status, output, errors = run(
        ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-arch=native", "-shared", "-cudart", "shared",
         "-Xcompiler", "-fPIC", "-I", "harness/include", "-I", str(arguments.build / "include"),
         file, "-o", str(module), *libraries], 120)
    return module if status == 0 else output + errors


def sanitize(arguments, file, module, tool):
    """The worker itself under compute-sanitizer, on a judge's job with small cases. Without guard
    zones: inside them memcheck takes an access for a good one."""
    if not isinstance(module, pathlib.Path):
        return file, tool, "does not compile", module
    operator, shapes = entry_of(file)
    job = {"kind": "judge", "operator": operator, "module": str(module), "entry": operator,
           "seed": 1, "time_limit_s": 100, "shapes": shapes}
    answers = arguments.modules / f"{module.name}-{tool}.answers"
    worker = f"exec '{arguments.build}/kata-worker-gpu' 3>'{answers}'"
    status, output, errors = run(
        ["compute-sanitizer", "--target-processes", "all", "--tool", tool,
         "--error-exitcode", "99", "sh", "-c", worker],
        110, input=json.dumps(job), env={**os.environ, "KATA_GUARD_ZONES": "off"})
    found = re.search(r"(ERROR SUMMARY|RACECHECK SUMMARY): (.*)", output)
    verdict = found[2] if found else f"no summary, exit {status}"
    judged = answers.read_text().count('"pass"') if answers.exists() else 0
    clean = status == 0 and re.match(r"0 (errors|hazards)", verdict) and judged > 0
    return file, tool, "" if clean else f"{verdict}; {judged} passes", output + errors


def phase_sanitize(arguments):
    tools = ("memcheck", "racecheck", "initcheck", "synccheck")
    pairs = [(file, tool) for file in solutions() for tool in tools]
    pairs += PLANTED_FOR_SANITIZER.items()
    files = list(dict.fromkeys(file for file, _ in pairs))
    with tempfile.TemporaryDirectory() as folder:
        arguments.modules = pathlib.Path(folder)
        modules = dict(zip(files, in_parallel(lambda file: compile_with_lines(arguments, file),
                                              files, os.cpu_count())))
        results = in_parallel(lambda pair: sanitize(arguments, pair[0], modules[pair[0]], pair[1]),
                              pairs, 10)
    bad = []
    with open(arguments.out / "sanitizer.txt", "w", encoding="utf-8") as log:
        for file, tool, wrong, text in results:
            log.write(f"{file} {tool}: {wrong or 'clean'}\n")
            if wrong:
                log.write(text[:4000] + "\n")
            if PLANTED_FOR_SANITIZER.get(file) == tool:
                wrong = "" if re.match(r"[1-9]", wrong) else f"not found ({wrong or 'clean'})"
            if wrong:
                bad.append(f"  {file} {tool}: {wrong}")
    summary(arguments, f"sanitize: {len(results) - len(bad)} of {len(results)} as expected", bad)
    return not bad and len(results) > 0


def write(arguments, name, value):
    (arguments.out / name).write_text(json.dumps(value, indent=1) + "\n")


def summary(arguments, title, lines):
    with open(arguments.out / "summary.txt", "a", encoding="utf-8") as file:
        file.write("\n".join([title, *lines]) + "\n")


def main():
    phases = {"check": phase_check, "speed": phase_speed, "bench": phase_bench,
              "sanitize": phase_sanitize}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phase", choices=phases)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "results")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.kata = str(arguments.build / "kata")
    arguments.out.mkdir(parents=True, exist_ok=True)
    sys.exit(0 if phases[arguments.phase](arguments) else 1)


if __name__ == "__main__":
    main()

"""Counters of every launch of every rung, or of other right candidates, as Nsight Compute reads them
on this GPU: what tests/fidelity compares the emulator with. Each is judged in the emulator's cases,
with normal values, under one ncu process.

ncu does not know where a case ends. So the emulator runs first (phase emulated, which needs no GPU):
it says which launches each case has."""

import csv
import datetime
import json
import os
import pathlib
import re
import tempfile
import time

from common import ROOT, chip, compile_with_lines, in_parallel, judge_job, operators, passes, \
    rungs, run, summary

# The emulator's counters (kernel record and key), and ncu's names of them.
COMPARED = {
    ("global_load", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ("global_load", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    ("global_store", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ("global_store", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ("shared_load", "requests"): "smsp__inst_executed_op_shared_ld.sum",
    ("shared_load", "wavefronts"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ("shared_store", "requests"): "smsp__inst_executed_op_shared_st.sum",
    ("shared_store", "wavefronts"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
# What explains a difference: spills, conflicts as the hardware counts them, and wavefronts counted
# from the addresses of each instruction. Asynchronous copies (LDGSTS) are stores to shared memory,
# which the counters of stores leave out. Left out where this ncu does not know them.
EXPLAINING = [
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_inst_executed_op_ldgsts.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
]
# Asynchronous copies and ldmatrix, which the emulator's numbers of shared memory include.
APART = {"requests": "apart", "wavefronts": "apart_wavefronts"}
PLACE = ["operator", "rung", "case", "launch", "kernel", "grid", "block"]
NCU = ["ncu", "--clock-control", "none", "--cache-control", "none", "--target-processes", "all",
       "--csv", "--page", "raw", "--print-units", "base"]

EMULATED = "fidelity_emulated.csv"
ENOUGH_S = 330  # no rung is begun later: what has been measured by then is worth keeping
RUNG_S = 90


def known_metrics():
    known = set(re.findall(r"^ *(\w+)", run(["ncu", "--query-metrics"], 60)[1], re.MULTILINE))
    return [*COMPARED.values(), *(name for name in EXPLAINING if name.split(".")[0] in known)]


def extents(text):
    """(8, 8, 1) or [8, 8, 1] as 8x8x1."""
    return "x".join(re.findall(r"\d+", str(text)))


def plain_name(kernel):
    """void (anonymous namespace)::sum<4>(float const*) as sum."""
    kernel = re.sub(r"\(anonymous namespace\)::|<unnamed>::|^void ", "", kernel)
    return re.match(r"[\w:]*", kernel)[0].split("::")[-1]


def read_ncu(text, metrics):
    """The launches in what ncu printed, in their order."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches = []
    for row in csv.DictReader(lines):
        if not row["ID"].isdigit():
            continue  # the units
        counters = {name: int(float(row[name].replace(",", ""))) for name in metrics}
        launches.append({"kernel": plain_name(row["Kernel Name"]),
                         "grid": extents(row["Grid Size"]), "block": extents(row["Block Size"]),
                         **counters})
    return launches


def profile(folder, command, metrics, limit_s):
    """The launches of a shell command; the reason as a text where there are none to be had."""
    log = folder / "ncu.log"
    log.unlink(missing_ok=True)
    status, output, errors = run([*NCU, "--log-file", str(log), "--metrics", ",".join(metrics),
                                  "sh", "-c", command], limit_s)
    text = log.read_text(errors="replace") if log.exists() else ""
    try:
        launches = read_ncu(text, metrics)
    except (KeyError, ValueError, TypeError, AttributeError) as unreadable:
        return f"ncu's table: {unreadable!r}\n{text[:3000]}"
    if status == 0 and launches:
        return launches
    return f"ncu: exit {status}, {len(launches)} launches\n{(text + output + errors)[:3000]}"


def save(path, head, metrics, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in head)
        table = csv.DictWriter(file, [*PLACE, *metrics], lineterminator="\n",
                               extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


def placed(file, launches):
    """Rows of the table: with operator, rung, and the launch's number in its case."""
    path, rows = pathlib.Path(file), []
    for launch in launches:
        number = rows[-1]["launch"] + 1 if rows and rows[-1]["case"] == launch["case"] else 0
        rows.append({**launch, "operator": path.parent.name, "rung": path.stem, "launch": number})
    return rows


def emulated_check(arguments, file, *options):
    """`kata check` of a rung in the emulator; None if it says nothing or does not pass."""
    output = run([arguments.kata, "check", file, "--backend", "emulator", "--seed", "1", "--json",
                  "--no-ladder", *options], 120)[1]
    try:
        report = json.loads(output)
    except ValueError:
        return None
    return report if report["verdict"] == "pass" else None


def files_of(arguments, operator):
    """The ladder, or the operator's files in the folder of candidates."""
    if not arguments.candidates:
        return rungs(operator)
    return [str(file) for file in sorted((arguments.candidates / operator).glob("*.cu"))]


def emulated_file(arguments, file):
    """The launches of a file in the emulator, case after case; None if it does not pass there."""
    report = emulated_check(arguments, file) or {"cases": []}
    sizes = list(dict.fromkeys(extents(case["shape"]) for case in report["cases"] if case["shape"]))
    reports = {size: emulated_check(arguments, file, "--size", size) for size in sizes}
    if not sizes or not all(reports.values()):
        return None
    return placed(file, [
        {"case": size, "kernel": plain_name(kernel["name"]),
         "grid": extents(kernel["grid"]), "block": extents(kernel["block"]),
         **{metric: kernel[group][key] - kernel[group].get(APART.get(key), 0)
            for (group, key), metric in COMPARED.items()}}
        for size in sizes for kernel in reports[size]["kernels"]])


def phase_emulated(arguments):
    """The emulator's side of the comparison: fidelity_emulated.csv. Needs no GPU."""
    files = [file for operator in arguments.operators or operators()
             for file in files_of(arguments, operator)]
    launches = in_parallel(lambda file: emulated_file(arguments, file), files, os.cpu_count())
    rows = [row for of_file in launches for row in of_file or []]
    failed = [file for file, of_file in zip(files, launches) if not of_file]
    save(arguments.out / EMULATED, ["the emulator: tests/gpu/run_all.sh build emulated"],
         COMPARED.values(), rows)
    summary(arguments, f"emulated: {len(files)} files, {len(rows)} launches",
            [f"  {file}: does not pass in the emulator" for file in failed])
    return rows and not failed


def read_emulated(arguments):
    """{file: its rows}."""
    lines = [line for line in (arguments.out / EMULATED).read_text().splitlines()
             if not line.startswith("#")]
    folder = arguments.candidates or "solutions"
    ladders = {}
    for row in csv.DictReader(lines):
        ladders.setdefault(f"{folder}/{row['operator']}/{row['rung']}.cu", []).append(row)
    return ladders


def first_calls(launches, cases):
    """Of each case the launches of its first call: the judge calls small cases a second time. A text
    if these are not the cases' launches, or if they look so alike that they may be divided among the
    cases in several ways."""
    what = lambda rows: [(row["kernel"], row["grid"], row["block"]) for row in rows]
    shapes, wanted = what(launches), [what(case) for case in cases]

    def fits(at, case, calls):
        return shapes[at:at + calls * len(wanted[case])] == calls * wanted[case]

    # ways[case][at]: to divide the launches from `at` on among the cases from `case` on
    ways = [[0] * (len(launches) + 1) for _ in range(len(cases) + 1)]
    ways[len(cases)][len(launches)] = 1
    for case in reversed(range(len(cases))):
        for at in range(len(launches) + 1):
            ways[case][at] = sum(ways[case + 1][at + calls * len(wanted[case])]
                                 for calls in (1, 2) if fits(at, case, calls))
    if ways[0][0] != 1:
        return "others than in the emulator" if ways[0][0] == 0 else \
            f"{ways[0][0]} ways to divide them among the cases"
    first, at = [], 0
    for case, rows in enumerate(cases):
        first += launches[at:at + len(rows)]
        calls = 1 if fits(at, case, 1) and ways[case + 1][at + len(rows)] else 2
        at += calls * len(rows)
    return first


def sources_of(file):
    """A candidate and the headers that may define its kernels: those beside it, and the common ones."""
    return [file, *file.parent.glob("*.h"), *file.parent.parent.glob("common/*.h")]


def measure_rung(arguments, file, module, emulated, metrics):
    """A rung's launches under ncu, each with its case, and what went wrong, if anything."""
    if not isinstance(module, pathlib.Path):
        return [], f"does not compile\n{module[:2000]}"
    cases = {}
    for row in emulated:
        cases.setdefault(row["case"], []).append(row)
    job, answers = arguments.modules / "job.json", arguments.modules / "answers"
    job.write_text(judge_job(module, pathlib.Path(file).parent.name,
                             [[int(n) for n in size.split("x")] for size in cases],
                             values=None))
    answers.unlink(missing_ok=True)
    worker = f"exec '{arguments.build}/kata-worker-gpu' <'{job}' 3>'{answers}'"
    launches = profile(arguments.modules, worker, metrics, RUNG_S)
    if isinstance(launches, str):
        return [], launches
    if passes(answers) < len(cases):  # of a size there may be several
        said = answers.read_text() if answers.exists() else ""
        return [], f"{passes(answers)} of {len(cases)} cases passed\n{said[:2000]}"
    words = set(re.findall(r"\w+", "".join(text.read_text() for text in sources_of(ROOT / file))))
    launches = [launch for launch in launches if launch["kernel"] in words]
    first = first_calls(launches, list(cases.values()))
    if isinstance(first, str):
        return [{**launch, "case": "?"} for launch in launches], \
            f"{len(launches)} launches ({len(emulated)} in the emulator): {first}"
    return [{**launch, "case": row["case"]} for launch, row in zip(first, emulated)], ""


def measure_program(arguments, name, metrics):
    """The launches of a program of tests/fidelity, and what went wrong, if anything."""
    program = arguments.modules / name
    status, output, errors = run(["nvcc", "-arch=native", "-o", str(program),
                                  f"tests/fidelity/{name}.cu"], 120)
    if status != 0:
        return [], output + errors
    launches = profile(arguments.modules, f"exec '{program}'", metrics, 150)
    if isinstance(launches, str):
        return [], launches
    return [{**launch, "case": ""} for launch in launches], ""


def count_equal(measured, emulated):
    key = lambda row: tuple(str(row[name]) for name in PLACE)
    counters = lambda row: [int(row[name]) for name in COMPARED.values()]
    there = {key(row): counters(row) for rows in emulated.values() for row in rows}
    return sum(there.get(key(row)) == counters(row) for row in measured)


def phase_fidelity(arguments):
    """fidelity_ladder.csv, fidelity_patterns.csv and fidelity_copies.csv; of other candidates
    fidelity_candidates.csv alone."""
    if not (arguments.out / EMULATED).exists():
        summary(arguments, f"fidelity: no {arguments.out / EMULATED}; run the phase emulated first"
                           " (here or elsewhere)", [])
        return False
    began = time.monotonic()
    emulated = {file: rows for file, rows in read_emulated(arguments).items()
                if not arguments.operators or rows[0]["operator"] in arguments.operators}
    metrics, made = known_metrics(), chip()
    head = [f"{made['gpu']}, driver {made['driver']}, CUDA {made['cuda']},"
            f" {datetime.date.today().isoformat()}:"
            f"{f' CANDIDATES={arguments.candidates}' if arguments.candidates else ''}"
            " tests/gpu/run_all.sh build emulated fidelity",
            " ".join([*NCU, "--metrics", ",".join(metrics)])]
    measured, lines = [], []
    with tempfile.TemporaryDirectory() as folder:
        arguments.modules = pathlib.Path(folder)
        modules = dict(zip(emulated, in_parallel(
            lambda file: compile_with_lines(arguments, file), emulated, os.cpu_count())))
        print(f"compiled after {time.monotonic() - began:.0f} s", flush=True)
        for file, rows in emulated.items():
            started = time.monotonic()
            launches, wrong = ([], "out of time") if started - began > ENOUGH_S else measure_rung(
                arguments, file, modules[file], rows, metrics)
            print(f"{file}: {time.monotonic() - started:.1f} s {wrong}", flush=True)
            lines += [f"  {file}: {wrong}"] if wrong else []
            measured += placed(file, launches)
            save(arguments.out / f"fidelity_{'candidates' if arguments.candidates else 'ladder'}.csv",
                 head, metrics, measured)
        for name in () if arguments.candidates else ("patterns", "copies"):
            launches, wrong = measure_program(arguments, name, metrics)
            lines += [f"  {name}: {wrong}"] if wrong else []
            save(arguments.out / f"fidelity_{name}.csv", head, metrics,
                 placed(f"tests/fidelity/{name}.cu", launches))
    equal = count_equal(measured, emulated)
    summary(arguments, f"fidelity: {len(emulated)} files, {len(measured)} launches measured, in"
                       f" {equal} of them the emulator counts the same", lines)
    return measured and not lines

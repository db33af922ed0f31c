#!/usr/bin/env python3
"""Plants the faults of faults.py in copies of the last Hopper rungs, one at a time, and says what
kata finds.

  tests/emulator/ladder_faults/plant.py KATA [-j N] [WORD...]

KATA is the program; WORDs select faults by parts of their names. Without WORDs it writes
docs/measured/planted_in_ladders.md. Exit status 1: some fault is not named as faults.py says.
"""
import argparse, concurrent.futures, json, os, pathlib, re, shutil, subprocess, sys, tempfile

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/measured/planted_in_ladders.md"
RUNGS = {"hgemm": "12_split_tail.cu", "gemm_bias_gelu": "5_one_ex2.cu",
         "flash_attention": "14_across_pieces.cu"}
HEADER = """# Faults planted in the last Hopper rungs

Each fault is one change in a copy of `hgemm/12`, `gemm_bias_gelu/5` or `flash_attention/14`, or of
the headers that they include; `kata check --size` judges it on the emulator. The line is that of the
first finding, then the line of the kernel that called the function. `tests/emulator/ladder_faults/plant.py
build/kata` writes this page; `faults.py` beside it has each change.

| fault | rung, size | finding | at | called from | words |
|---|---|---|---|---|---|
"""


def plant(fault, folder):
    """The rung in a copy of its folder and of common/, with the fault."""
    for name in ("common", fault["operator"]):
        shutil.copytree(ROOT / "solutions" / name, folder / name)
    for file, text, instead in fault["changes"]:
        path = folder / file
        source = path.read_text()
        if source.count(text) != 1:
            raise SystemExit(f"{fault['name']}: {source.count(text)} times in {file}: {text}")
        path.write_text(source.replace(text, instead))
    return folder / fault["operator"] / RUNGS[fault["operator"]]


def judge(kata, fault):
    """The findings, errors first, and the verdict."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [kata, "check", plant(fault, folder), "--no-ladder", "--json", "--size", fault["size"]]
        settings = {"KATA_ROOT": str(ROOT), "KATA_HOME": str(folder / "home")}
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings})
        report = json.loads(done.stdout)
        findings = [one for one in report["findings"] if one["severity"] != "advice"]
        findings.sort(key=lambda one: one["severity"] != "error")
        for one in findings:
            for key in ("message", "note"):
                one[key] = one.get(key, "").replace(f"{folder}/", "")
            one["file"] = pathlib.Path(one.get("file") or "").name
        return findings, report["verdict"]


def row(fault, findings, verdict):
    rung = f"{fault['operator']}, {fault['size']}"
    if not findings:
        seen = "wrong result" if verdict == "fail" else "none"
        return f"| {fault['name']} | {rung} | {seen} | | | {fault['says']} |\n"
    first = findings[0]
    caller = re.search(r"called from (?:\S*/)?([\w.]+:\d+|line \d+)", first["note"])
    kind = first["kind"] + ("" if first["severity"] == "error" else " (warning)")
    return (f"| {fault['name']} | {rung} | `{kind}` | {first['file']}:{first['line']} "
            f"| {caller[1] if caller else ''} | {fault['says']} |\n")


def is_named(fault, findings):
    """Whether the first finding says what faults.py expects; for one that is not found: nothing."""
    if fault["missed"]:
        return not findings
    return bool(findings) and fault["says"] in findings[0]["message"] + "; " + findings[0]["note"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kata")
    parser.add_argument("words", nargs="*")
    parser.add_argument("-j", type=int, default=1)
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS
              if not options.words or any(word in fault["name"] for word in options.words)]
    page, unnamed = HEADER, 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        judged = pool.map(lambda fault: judge(options.kata, fault), chosen)
        for fault, (findings, verdict) in zip(chosen, judged):
            named = is_named(fault, findings)
            unnamed += not named
            page += row(fault, findings, verdict)
            print(f"{'' if named else 'NOT NAMED '}{fault['operator']}: {fault['name']}: {verdict}")
            for one in findings:
                print(f"  {one['severity']} {one['kind']} {one['file']}:{one['line']} {one['message']}"
                      f" [{one['note']}]", flush=True)
    if not options.words:
        PAGE.write_text(page)
    sys.exit(unnamed > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs every CUDA program under a folder with `kata run` and classifies what comes of it.

    tests/programs/run_corpus.py FOLDER --csv out.csv [--limit 60] [--jobs 2] [--only TEXT]

FOLDER holds one folder per repository. A program is a file with a main; if it is the only one in its
folder, the folder's other sources belong to it, and those of folders below that have no main. Each
runs in its own folder, with the arguments that --arguments has for it, else with those of the
target "run" of the Makefile beside it, made smaller. --list FILE takes only the programs that the file names, one a line as
repository/program; --draw N writes such a list of the N whose names have the smallest hashes.
Fetch repositories outside this tree. A second start goes on after the rows that the CSV has.
`--table` prints the summary of the CSV in Markdown and runs nothing.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

COLUMNS = ["repository", "program", "class", "seconds", "status", "why"]
SOURCES = {".cu", ".cpp", ".cc"}
# A header that belongs to no CUDA runtime: graphics, other toolkits, other machines' software.
FOREIGN = re.compile(
    r"(GL/|GLFW|glut|glew|EGL|vulkan|d3d|DirectX|X11/|FreeImage|opencv|mpi\.h|npp|nvs?ci|windows\.h|"
    r"Windows\.h|cuda_gl_interop|cudaGL|cudaEGL|nvjpeg|mkl|arrayfire|boost/|omp-tools|conio\.h|"
    r"cudla|cupti|nvml|nvbench|drm|wayland|gdiplus|io\.h$|nvvm|libNVVM|openacc|CL/)")
WRONG = re.compile(r"\bFAIL(ED|URE)?\b|do(es)? not match|don't match|incorrect|mismatch|wrong result|"
                   r"Arrays? (are|is) not equal|verification failed|Result = FAIL|^\s*Error:", re.I | re.M)
MAIN = re.compile(r"^\s*(?:(?:extern|static|auto|int|void|signed)\s+)+main\s*\(|^\s*main\s*\(", re.M)


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


class Program:
    def __init__(self, repository, files, includes):
        self.repository = repository
        self.files = files
        self.includes = includes
        self.flags = []
        self.arguments = ""
        makefile = files[0].parent / "Makefile"
        if makefile.exists():
            self.read_makefile(text_of(makefile).replace("\\\n", " "))

    def read_makefile(self, text):
        """Takes its sources, folders, macros and the arguments of "run"; what holds a variable of
        make is left out."""
        folder = self.files[0].parent
        text = re.sub(r"^ifeq \(\$\(DEBUG\),yes\).*?^endif|^\s*#[^\n]*\n", "", text, flags=re.M | re.S)
        sources = first(r"^source\s*[:+]?=(.*)$", text).split()
        if sources and all((folder / name).is_file() for name in sources):
            self.files = [folder / name for name in sources]
        self.flags += [flag for flag in re.findall(r"-[DI]\s*[\w./=-]+(?=\s|$)", text)]
        self.flags += re.findall(r"-std=c\+\+\d\d", text)[:1]
        command = first(r"^run\s*:.*\n\t(?:.*?\s)??(?:\./\S+|\$\(program\))([^|&>\n]*)", text)
        if "$" not in command:
            self.arguments = smaller(command, "".join(map(text_of, self.files)))

    def name(self):
        return str(self.files[0].relative_to(self.repository))


LARGEST = 1024  # that a CPU has time for, of an argument that is a size


def smaller(arguments, source):
    """The arguments with 1 for what the usage text of `source` calls a count of repetitions, and
    LARGEST for larger numbers."""
    source = re.sub(r'\\n"[^"]*"(?=\s+<)', "", source)  # a usage text may have several lines
    names = re.findall(r"<([^>]+)>", first(r"[Uu]sage:?[^\"\n]*?(<[^\"\n]*>)", source))
    values = arguments.split()
    if len(names) != len(values):
        names = [""] * len(values)
    for i, (name, value) in enumerate(zip(names, values)):
        if value.isdigit():
            limit = 1 if re.search("repeat|repetition|iteration", name) else LARGEST
            values[i] = str(min(int(value), limit))
    return " ".join(values)


def programs_in(repository):
    """The programs of a repository, by their folders."""
    shared = [folder for folder in repository.rglob("*")
              if folder.is_dir() and folder.name.lower() in ("common", "inc", "include", "utils")]
    by_folder = collections.defaultdict(list)
    for path in sorted(repository.rglob("*")):
        if path.is_file() and path.suffix in SOURCES and not path.name.startswith("LICENSE"):
            by_folder[path.parent].append(path)
    below = collections.defaultdict(list)
    for folder in by_folder:
        for parent in folder.parents:
            below[parent].append(folder)
    for folder, files in sorted(by_folder.items()):
        if not any(file.suffix == ".cu" for file in files):
            continue
        texts = {file: without_comments(text_of(file)) for file in files}
        mains = [file for file in files if MAIN.search(texts[file])]
        # Those beside it and above it, the nearest first, so that a sample finds its own helpers.
        near = [path for path in shared if folder.is_relative_to(path.parent)]
        near.sort(key=lambda path: -len(path.parts))
        if len(mains) == 1:
            included = {name for text in texts.values()
                        for name in re.findall(r'#\s*include\s*"(?:[^"]*/)?([^"/]+)"', text)}
            # Its own sources lie beside it and in folders below it that have no main.
            parts = [file for under in below[folder]
                     if not any(MAIN.search(without_comments(text_of(file)))
                                for file in by_folder[under])
                     for file in by_folder[under]]
            others = [file for file in files + parts
                      if file != mains[0] and file.name not in included]
            yield Program(repository, mains + others, near)
            continue
        for main in mains:
            if main.suffix == ".cu":
                yield Program(repository, [main], near)


def used_by(session):
    """Processor time in seconds of all processes of a session, and of the children that they have
    waited for; the session's resident memory in GiB."""
    ticks = pages = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += sum(int(field) for field in fields[11:15])
            pages += int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**30


def run(kata, program, options):
    command = [kata, "run", "--json"] + [str(file) for file in program.files]
    for folder in program.includes + options.include:
        command += ["-I", str(folder)]
    command += program.flags
    if any("omp.h" in text_of(file) for file in program.files):
        command.append("-fopenmp")  # as the repository's own build files do
    arguments = options.arguments.get(program.name(), program.arguments)
    if arguments:
        command += ["--"] + arguments.split()
    with tempfile.TemporaryFile() as out_file, tempfile.TemporaryFile() as err_file:
        process = subprocess.Popen(command, cwd=program.files[0].parent, stdin=subprocess.DEVNULL,
                                   stdout=out_file, stderr=err_file, start_new_session=True)
        seconds, over = 0, ""
        while process.poll() is None:
            time.sleep(0.1)
            if over:
                if time.monotonic() - asked > 30:
                    os.killpg(process.pid, signal.SIGKILL)
                continue
            spent, memory = used_by(process.pid)
            seconds = max(seconds, spent)
            if seconds > options.limit or memory > options.memory:
                over = "slow" if seconds > options.limit else "memory"
                process.send_signal(signal.SIGINT)  # it prints the findings so far
                asked = time.monotonic()
        texts = []
        for file in (out_file, err_file):
            file.seek(0)
            texts.append(file.read(1 << 24).decode("utf-8", "replace"))
    return classify(*texts, process.returncode, over) + (seconds, process.returncode)


def first(pattern, text):
    match = re.search(pattern, text, re.M)
    return match.group(1).strip() if match else ""


def classify(out, err, status, over):
    """The class and the reason."""
    try:
        report = json.loads(out)
    except json.JSONDecodeError:
        report = None
    if over:
        return over, first(r"^kata: (.*)", err)
    if report is None:
        return classify_refusal(err, "", status)
    if "error" in report:
        return classify_refusal(report.get("detail", ""), report["error"], status)
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    unsupported = [finding for finding in errors if finding["kind"] == "unsupported"]
    if unsupported:
        return "refused", unsupported[0]["message"]
    if errors:
        worst = errors[0]
        return "findings", "%s %s:%s %s" % (worst["kind"], os.path.basename(worst.get("file", "")),
                                            worst.get("line", ""), worst["message"])
    if status != 0 and re.search(r"\busage\b", err, re.I):
        return "needs arguments", last_line(err)
    if status != 0:
        return "own error", "status %d: %s" % (status, last_line(err))
    if WRONG.search(err):
        return "own error", "it says: " + WRONG.search(err).group(0)
    return "right", ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def classify_refusal(detail, message, status):
    header = first(r"fatal error: (.*?): No such file", detail)
    is_refusal = "does not run on the emulator" in detail
    if "FIXME" in detail or ("#error" in detail and not is_refusal):
        return "own error", "an exercise that is not filled in"
    if header:
        kind = "other software" if FOREIGN.search(header) else "missing header"
        return kind, header
    message = re.sub(r"^\S+:\d+: ", "", message or first(r"^kata: (.*)", detail))
    undefined = re.search(r"calls the undefined function ((gl|omp_|png_)\w*)", message)
    if undefined and undefined.group(2) != "omp_":
        return "other software", undefined.group(1)
    if "does not run on the emulator" in message or "emulator does not" in message:
        return "refused", message
    if status < 0 or status > 128:
        return "crash", last_line(detail)
    error = first(r"error: (.*)", detail)
    return ("does not compile", error) if error else ("refused", message or last_line(detail))


def table(rows):
    classes = ["right", "findings", "slow", "memory", "does not compile", "missing header",
               "refused", "own error", "needs arguments", "crash", "other software"]
    by_repository = collections.defaultdict(collections.Counter)
    for row in rows:
        by_repository[row["repository"]][row["class"]] += 1
    lines = ["| repository | programs | " + " | ".join(classes) + " |",
             "|---|" + "--:|" * (len(classes) + 1)]
    total = collections.Counter()
    for repository, counts in sorted(by_repository.items()) + [("all", total)]:
        total.update(counts if repository != "all" else {})
        lines.append("| %s | %d | " % (repository, sum(counts.values())) +
                     " | ".join(str(counts[name]) for name in classes) + " |")
    return "\n".join(lines)


def arguments_in(path):
    with open(path, newline="") as file:
        return {row["program"]: row["arguments"] for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for each program")
    parser.add_argument("--memory", type=float, default=6, help="GiB of memory for each program")
    parser.add_argument("--include", "-I", type=pathlib.Path, action="append", default=[],
                        help="a folder of headers for all programs, as the vendor's helpers")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="programs whose path contains this")
    parser.add_argument("--kata", default=str(pathlib.Path(__file__).parents[2] / "build" / "kata"))
    parser.add_argument("--arguments", type=arguments_in, default={}, metavar="FILE",
                        help="CSV of programs and their arguments: program,arguments")
    parser.add_argument("--list", type=lambda path: set(pathlib.Path(path).read_text().split("\n")))
    parser.add_argument("--draw", type=int, help="prints the names of so many programs; runs nothing")
    parser.add_argument("--seed", default="", help="what the hash of a name begins with")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()

    rows = []
    if options.csv.exists():
        with options.csv.open(newline="") as file:
            rows = list(csv.DictReader(file))
    if options.table:
        print(table(rows))
        return
    known = {(row["repository"], row["program"]) for row in rows}
    todo = [program for repository in sorted(options.folder.resolve().iterdir())
            if repository.is_dir() for program in programs_in(repository)
            if options.only in str(program.files[0])
            and (options.list is None or "%s/%s" % (repository.name, program.name()) in options.list)
            and (repository.name, program.name()) not in known]
    if options.draw:
        names = ["%s/%s" % (program.repository.name, program.name()) for program in todo]
        names.sort(key=lambda name: hashlib.sha1((options.seed + name).encode()).hexdigest())
        print("\n".join(names[:options.draw]))
        return
    if not todo and not rows:
        sys.exit("no programs under %s" % options.folder)
    with options.csv.open("a", newline="") as file, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        writer = csv.DictWriter(file, COLUMNS)
        if not rows:
            writer.writeheader()
        futures = {pool.submit(run, options.kata, program, options): program
                   for program in todo}
        for future in concurrent.futures.as_completed(futures):
            program = futures[future]
            kind, why, seconds, status = future.result()
            row = dict(zip(COLUMNS, (program.repository.name, program.name(), kind,
                                     "%.1f" % seconds, status, why)))
            writer.writerow(row)
            file.flush()
            rows.append(row)
            print("%-16s %6.1f s  %s/%s  %s" % (kind, seconds, row["repository"], row["program"],
                                                why[:100]), flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()

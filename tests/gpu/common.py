"""What the phases of run_all.sh share: running programs, the candidates, the worker's jobs."""

import concurrent.futures
import datetime
import functools
import json
import math
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


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


def rungs(operator):
    """A ladder without its libraries."""
    return [file for file in solutions() if pathlib.Path(file).parent.name == operator
            and not pathlib.Path(file).name.startswith("library_")]


def chip():
    query = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 30)[1]
    gpu, _, driver = query.strip().splitlines()[0].partition(", ") if query.strip() else ("", "", "")
    nvcc = re.search(r"release ([\d.]+)", run(["nvcc", "--version"], 30)[1])
    return {"gpu": gpu, "driver": driver, "cuda": nvcc[1] if nvcc else ""}


def operator_of(file):
    """The operator whose entry function a file defines; None if it defines none's."""
    entries = re.findall(r'extern "C" void (\w+)\(', (ROOT / file).read_text())
    return next((name for name in entries if (ROOT / "solutions" / name).is_dir()), None)


@functools.lru_cache(None)
def small_shapes(kata, operator):
    """Four of the shapes of an operator's own cases: the smallest and the three largest that every
    rung finishes at once. The emulator's report names them."""
    output = run([kata, "check", rungs(operator)[0], "--backend", "emulator", "--no-ladder",
                  "--json"], 60)[1]
    shapes = sorted({tuple(case["shape"]) for case in json.loads(output)["cases"] if case["shape"]},
                    key=math.prod)
    small = [list(shape) for shape in shapes if math.prod(shape) <= 40000] or [list(shapes[0])]
    return small[:1] + small[1:][-3:]


@functools.cache
def architecture():
    """nvcc's flag for this GPU. wgmma and setmaxnreg exist in Hopper's own architecture alone; and
    -arch=sm_90a would compile the file a second time, for compute_90, which lacks them."""
    capability = run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], 30)[1]
    digits = capability.splitlines()[0].replace(".", "")
    digits = {"90": "90a"}.get(digits, digits)
    return f"-gencode=arch=compute_{digits},code=sm_{digits}"


def compiled(file, folder, build, flags, limit_s):
    """A module in `folder`, as kata compiles it, with more flags; the error's text if it does not
    compile. `build` is the build folder, for its headers."""
    module = folder / (file.replace("/", "-") + ".so")
    text = (ROOT / file).read_text().lower()
    names = "cublas", "cublasLt", "cudnn", "cufft", "cusolver", "cusparse"
    libraries = [f"-l{name}" for name in names if name.lower() in text]
    status, output, errors = run(
        ["nvcc", "-std=c++17", "-O3", architecture(), "-shared", "-cudart", "shared",
         "-Xcompiler", "-fPIC", *flags, "-I", "harness/include", "-I", str(build / "include"), file,
         "-o", str(module), *libraries], limit_s)
    return module if status == 0 else output + errors


def compile_with_lines(arguments, file):
    """As `compiled`, with line numbers for compute-sanitizer."""
    return compiled(file, arguments.modules, arguments.build, ["-lineinfo"], 120)


def judge_job(module, operator, shapes, values="normal"):
    """What the worker reads: judge `module` at these sizes, with these values; with None on the
    problem's cases of these sizes, as `kata check --size` does."""
    return json.dumps({"kind": "judge", "operator": operator, "module": str(module),
                       "entry": operator, "seed": 1, "time_limit_s": 100, "shapes": shapes,
                       "values": values})


def passes(answers):
    """How many cases passed, by the worker's answers."""
    return answers.read_text().count('"pass"') if answers.exists() else 0


def write(arguments, name, value):
    (arguments.out / name).write_text(json.dumps(value, indent=1) + "\n")


def write_table(arguments, name, phases, header, rows):
    """CSV without quotes (the last column may hold commas). The first line names the source."""
    lines = [f"# {datetime.date.today().isoformat()}, {', '.join(chip().values())}:"
             f" tests/gpu/run_all.sh {phases}", ",".join(header), *(",".join(row) for row in rows)]
    (arguments.out / name).parent.mkdir(parents=True, exist_ok=True)
    (arguments.out / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def summary(arguments, title, lines):
    with open(arguments.out / "summary.txt", "a", encoding="utf-8") as file:
        file.write("\n".join([title, *lines]) + "\n")

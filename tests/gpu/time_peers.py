#!/usr/bin/env python3
"""Times operators beside other programs in one run: their best rungs, their libraries, PyTorch,
torch.compile and Triton (peer_formulas.py), and a copy or a read of as many bytes. Writes
peers.csv, which make_peers.py reads. Needs a GPU, a built kata, nvcc, PyTorch and Triton.

    tests/gpu/time_peers.py --out tests/gpu/peers.csv
    tests/gpu/time_peers.py --operators "layernorm rmsnorm" ...  the other operators' rows stay
    tests/gpu/time_peers.py --also "CUTLASS=sgemm=FILE.so" ...   other modules with an entry

Samples of one size are interleaved in random order, L2 is flushed by reads, and in-out tensors are
restored before each sample. Products of matrices do not use TF32. Every result is compared with
PyTorch's in double precision."""

import argparse
import ctypes
import datetime
import math
import pathlib
import random
import statistics
import sys
import tempfile

import torch
import triton

from common import ROOT, architecture, chip, in_parallel, rungs, run
from make_peers import COLUMNS, read_peers
from make_performance import read_times
from peer_formulas import CASES, MORE_SIZES, random_sizes

SAMPLES = 200
BUDGET_S = 1.0  # of samples for each size, a third of it for random ones
RUNGS = 2  # of each size: the fastest of the kept times
CEILINGS = "harness/timing/ceilings.cu"  # what `kata bench` takes its limits from
GRANULE = 8192  # floats: these kernels move multiples of it


def module_of(folder, file):
    """A candidate as kata compiles it; None, with a message, if it does not compile."""
    module = folder / (file.replace("/", "-") + ".so")
    text = (ROOT / file).read_text().lower()
    libraries = [f"-l{name}" for name in ("cublas", "cublasLt", "cudnn") if name.lower() in text]
    status, output, errors = run(
        ["nvcc", "-O3", "-std=c++17", "-w", "-Xcompiler", "-fPIC,-fno-gnu-unique", architecture(),
         "-I", "harness/include", "-I", "build/include", "-shared", "-cudart", "shared", file, "-o",
         str(module), *libraries], 200)
    if status != 0:
        print(f"{file}: {output}{errors}", file=sys.stderr)
        return None
    return module


def kata_files(operator, most_sizes, random_count):
    """{size: the files to time at it}: the fastest rungs of the kept times, and the libraries. At a
    size without kept times: the last rung, and the fastest ones of the kept sizes."""
    folder = ROOT / "solutions" / operator
    _, _, _, rows = read_times(folder / "times.csv")
    libraries = [str(file.relative_to(ROOT)) for file in sorted(folder.glob("library_*.cu"))]
    file_of = lambda row: f"solutions/{operator}/{row['name']}.cu"
    fastest = {}  # rungs of each kept size
    for row in sorted(rows, key=lambda row: float(row["median_us"])):
        if row["name"][0].isdigit() and (ROOT / file_of(row)).exists():
            fastest.setdefault(row["size"], []).append(file_of(row))
    best = list(dict.fromkeys([rungs(operator)[-1], *(files[0] for files in fastest.values())]))
    sizes = list(dict.fromkeys(row["size"] for row in rows))[:most_sizes]
    sizes += MORE_SIZES.get(operator, []) + random_sizes(operator, random_count)
    return {size: fastest.get(size.split()[0], best)[:RUNGS] + libraries for size in sizes}


def entry_call(module, operator, case):
    """A function that calls a module's entry and returns all results."""
    entry = getattr(ctypes.CDLL(str(module)), operator)
    arguments = [ctypes.c_void_p(tensor.data_ptr()) for tensor in case.inputs + case.outputs]
    arguments += [(ctypes.c_float if isinstance(scalar, float) else ctypes.c_int)(scalar)
                  for scalar in case.scalars]

    def call():
        entry(*arguments)
        return case.results()
    return call


def compiled_call(case, **options):
    compiled = torch.compile(case.compiled or case.formula, dynamic=False, **options)
    return lambda: compiled(*case.inputs)


def calls_of(operator, case, modules, tune):
    """{name: a call without arguments}."""
    calls = {name: entry_call(module, operator, case) for name, module in modules.items()}
    calls["PyTorch"] = lambda: case.formula(*case.inputs)
    if case.may_compile:
        torch.compiler.reset()
        calls["torch.compile"] = compiled_call(case)
    if tune:
        mode = "max-autotune-no-cudagraphs"
        calls["torch.compile, max-autotune"] = compiled_call(case, mode=mode)
    for name, peer in case.peers.items():
        calls[name] = lambda peer=peer: peer(*case.inputs)
    return calls


def limit_calls(ceilings, case):
    """{name: a call}: kernels that move a case's bytes and do nothing else, as in `kata bench`."""
    size = lambda tensors: sum(one.numel() * one.element_size() for one in tensors)
    read, written = case.bytes_read or size(case.inputs), size(case.results())
    is_copy = written >= read / 8
    count = math.ceil((read + written) / (8 if is_copy else 4) / GRANULE) * GRANULE
    source = torch.rand(count, device="cuda")
    target = torch.empty_like(source) if is_copy else torch.empty(1, device="cuda")
    pointers = [ctypes.c_void_p(one.data_ptr()) for one in (source, target)]
    kernels = {"limit (copy)": "kata_copy"} if is_copy else \
        {"limit (read)": "kata_read", "limit (read, streaming)": "kata_read_streaming"}

    def call_of(kernel):
        def call():
            kernel(*pointers, ctypes.c_longlong(count))
            return source, target  # kept alive
        return call
    library = ctypes.CDLL(str(ceilings))
    return {name: call_of(getattr(library, kernel)) for name, kernel in kernels.items()}


def as_doubles(tensors):
    return [one.double() if one.is_floating_point() else one for one in tensors]


def as_list(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


def is_right(results, expected, tolerance):
    def one_is_right(result, right):
        scale = right.double().abs().max().item()
        worst = (result.double().reshape(-1) - right.double().reshape(-1)).abs().max().item()
        return worst <= tolerance * max(scale, 1e-30)
    return len(results) == len(expected) and all(map(one_is_right, results, expected))


class Clock:
    """Times one call: the chip is busy until all is enqueued, then L2 is flushed."""

    def __init__(self):
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.flushed = torch.zeros(2 * l2 // 4, device="cuda")
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_us(self, call, restore):
        restore()
        torch.cuda._sleep(400000)
        self.flushed.sum()
        self.begin.record()
        call()
        self.end.record()
        self.end.synchronize()
        return 1000 * self.begin.elapsed_time(self.end)


def show_code(path, title, shown=set()):
    """Adds to a file what torch.compile has generated since the last call, and the tile sizes that
    it chose."""
    try:  # these names are PyTorch's own, without promises
        from torch._inductor.codecache import PyCodeCache
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner
        new = [module for module in PyCodeCache.modules if module.__file__ not in shown]
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"# ---- {title}\n")
            for module in new:
                for name, kernel in vars(module).items():
                    if isinstance(kernel, CachingAutotuner) and kernel.launchers:
                        file.write(f"# {name}: {kernel.launchers[0].config}\n")
                file.write(pathlib.Path(module.__file__).read_text())
        shown.update(module.__file__ for module in new)
    except Exception as failed:
        print(f"{title}: no code: {failed}", file=sys.stderr)


def fault(call, case, expected, restore):
    """Why a call is left out; None if it is right."""
    restore()
    for output in case.outputs:
        output.view(torch.uint8).fill_(0xff)  # NaN, or -1
    try:
        right = is_right(as_list(call()), expected, case.tolerance)
    except Exception as failed:  # a compiler's limits: the others are timed all the same
        return f"{type(failed).__name__}: {str(failed)[:200]}".splitlines()[0]
    return None if right else "wrong"


def time_size(clock, operator, size, modules, ceilings, arguments):
    """Rows of peers.csv."""
    numbers, *kind = size.split()
    case = CASES[operator](*map(int, numbers.split("x")), **dict.fromkeys(kind, True))
    before = [case.inputs[i].clone() for i in case.in_out]

    def restore():
        for i, tensor in zip(case.in_out, before):
            case.inputs[i].copy_(tensor)

    expected = as_list(case.formula(*as_doubles(case.inputs)))
    calls = calls_of(operator, case, modules, operator in arguments.max_autotune.split())
    for name, call in list(calls.items()):
        wrong = fault(call, case, expected, restore)
        if wrong:
            print(f"{operator} {size}: {name} is left out: {wrong}", file=sys.stderr)
            del calls[name]
        elif arguments.show_code and name.startswith("torch.compile"):
            show_code(arguments.show_code / f"{operator}.py", f"{operator} {size}: {name}")
    del expected
    if ceilings and case.moves_memory:
        calls |= limit_calls(ceilings, case)
    first = {name: clock.time_us(call, restore) for name, call in calls.items()}
    budget_us = 1e6 * BUDGET_S / (3 if size in random_sizes(operator, arguments.random) else 1)
    rounds = min(SAMPLES, max(20, int(budget_us / (sum(first.values()) + 300 * len(first)))))
    samples = {name: [] for name in calls}
    for _ in range(rounds):
        for name in random.sample(list(calls), len(calls)):
            samples[name].append(clock.time_us(calls[name], restore))
    for name, times in samples.items():
        low, _, high = statistics.quantiles(times, n=4)
        yield f'{operator},{size},"{name}",{statistics.median(times):.2f},{high - low:.2f},{rounds}'


def write(path, origins, rows):
    """`rows` are lines of the operators, `origins` say where and when each operator was timed."""
    lines = []
    for origin in dict.fromkeys(origins[name] for name in rows):
        lines.append(f"# {origin}: {' '.join(name for name in rows if origins[name] == origin)}")
    lines += [",".join(COLUMNS), *(line for name in rows for line in rows[name])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="rows of operators that are not chosen stay in this file")
    parser.add_argument("--operators", default=" ".join(CASES))
    parser.add_argument("--sizes", type=int, help="the first so many sizes of each operator alone")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT",
                        help="as many random sizes, for operators that have a rule for them")
    parser.add_argument("--max-autotune", default="", metavar="OPERATORS",
                        help="time torch.compile with max-autotune for these too")
    parser.add_argument("--show-code", type=pathlib.Path, metavar="FOLDER",
                        help="write what torch.compile generates to FOLDER/<operator>.py")
    parser.add_argument("--also", nargs="*", default=[], help="name=operator=module")
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.show_code:
        arguments.show_code.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    random.seed(1)
    torch.manual_seed(1)
    made, clock = chip(), Clock()
    origin = (f"{made['gpu']}, driver {made['driver']}, CUDA {made['cuda']},"
              f" torch {torch.__version__}, Triton {triton.__version__},"
              f" {datetime.date.today().isoformat()}")
    origins, rows = read_peers(arguments.out) if arguments.out.exists() else ({}, {})
    chosen = {name: kata_files(name, arguments.sizes, arguments.random)
              for name in arguments.operators.split()}
    files = sorted({file for sizes in chosen.values() for some in sizes.values() for file in some})
    with tempfile.TemporaryDirectory() as folder:
        compile_one = lambda file: module_of(pathlib.Path(folder), file)
        modules = dict(zip(files + [CEILINGS], in_parallel(compile_one, files + [CEILINGS], 16)))
        for operator, sizes in chosen.items():
            others = {name: module for name, of, module in
                      (also.split("=") for also in arguments.also) if of == operator}
            measured = []
            for size, some in sizes.items():
                here = {pathlib.Path(file).stem.removeprefix("library_"): modules[file]
                        for file in some if modules[file]}
                try:
                    measured += time_size(clock, operator, size, here | others, modules[CEILINGS],
                                          arguments)
                except torch.cuda.OutOfMemoryError as failed:
                    print(f"{operator} {size}: {failed}", file=sys.stderr)
                    continue
                origins[operator], rows[operator] = origin, measured
                write(arguments.out, origins, rows)
                print(f"{operator} {size}", flush=True)


if __name__ == "__main__":
    main()

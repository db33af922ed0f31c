#!/usr/bin/env python3
"""Times the first ladders beside other programs in one run: their best rungs, their libraries, PyTorch,
torch.compile and Triton. Writes peers.csv, which make_peers.py reads. Needs a GPU, a built kata, nvcc,
PyTorch and Triton.

    tests/gpu/time_peers.py --out tests/gpu/peers.csv
    tests/gpu/time_peers.py --also "CUTLASS=sgemm=FILE.so" ...   other modules with the operator's entry

Samples of one size are interleaved in random order, and L2 is flushed by reads. Products of matrices
do not use TF32. Every result is compared with PyTorch's in double precision."""

import argparse
import ctypes
import datetime
import pathlib
import random
import statistics
import sys
import tempfile

import torch
import triton
import triton.language as tl

from common import ROOT, architecture, chip, in_parallel, run
from make_performance import read_times

SAMPLES = 200
BUDGET_S = 1.0  # of samples for each size
RUNGS = 2  # of each size: the fastest of the kept times

OPERATORS = ["sgemm", "sgemv", "transpose", "reduce_sum", "softmax", "softmax_rows", "add", "relu",
             "sigmoid", "reduce_max"]
INPUTS = {  # shapes of the inputs and of the output, from the numbers of the signature
    "sgemm": lambda m, n, k: ([(m, k), (k, n)], (m, n)),
    "sgemv": lambda m, k: ([(m, k), (k,)], (m,)),
    "transpose": lambda rows, cols: ([(rows, cols)], (cols, rows)),
    "softmax_rows": lambda rows, cols: ([(rows, cols)], (rows, cols)),
    "reduce_sum": lambda n: ([(n,)], (1,)),
    "reduce_max": lambda n: ([(n,)], (1,)),
    "add": lambda n: ([(n,), (n,)], (n,)),
    "softmax": lambda n: ([(n,)], (n,)),
    "relu": lambda n: ([(n,)], (n,)),
    "sigmoid": lambda n: ([(n,)], (n,)),
}
FORMULAS = {
    "sgemm": torch.mm,
    "sgemv": torch.mv,
    "transpose": lambda x: x.t().contiguous(),
    "softmax_rows": lambda x: torch.softmax(x, 1),
    "reduce_sum": lambda x: torch.sum(x).reshape(1),
    "reduce_max": lambda x: torch.amax(x).reshape(1),
    "add": torch.add,
    "softmax": lambda x: torch.softmax(x, 0),
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
}
# What torch.compile makes a kernel of its own of; torch.mv and torch.mm would go to cuBLAS.
COMPILED = FORMULAS | {"sgemv": lambda a, x: (a * x).sum(1), "sgemm": None}


@triton.jit
def softmax_rows_kernel(x, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    col = tl.arange(0, BLOCK)
    value = tl.load(x + row + col, mask=col < cols, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + col, value / tl.sum(value, 0), mask=col < cols)


def triton_softmax_rows(warps):
    def call(x):
        y = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        softmax_rows_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=block, num_warps=warps)
        return y
    return call


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


def kata_files(operator):
    """{size: the files to time at it}: the fastest rungs of the kept times, and the libraries."""
    folder = ROOT / "solutions" / operator
    _, _, _, rows = read_times(folder / "times.csv")
    libraries = [str(file.relative_to(ROOT)) for file in sorted(folder.glob("library_*.cu"))]
    chosen = {}
    for size in dict.fromkeys(row["size"] for row in rows):
        rungs = sorted((row for row in rows if row["size"] == size and row["name"][0].isdigit()),
                       key=lambda row: float(row["median_us"]))
        chosen[size] = [f"solutions/{operator}/{row['name']}.cu" for row in rungs[:RUNGS]] + libraries
    return chosen


def entry_call(module, operator, inputs, output, numbers):
    """A function that calls a module's entry and returns its output."""
    entry = getattr(ctypes.CDLL(str(module)), operator)
    arguments = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (*inputs, output)]
    arguments += [ctypes.c_int(number) for number in numbers]

    def call():
        entry(*arguments)
        return output
    return call


def calls_of(operator, size, modules, inputs, output, numbers):
    """{name: a call without arguments}."""
    calls = {name: entry_call(module, operator, inputs, output, numbers)
             for name, module in modules.items()}
    calls["PyTorch"] = lambda: FORMULAS[operator](*inputs)
    if COMPILED[operator]:
        torch.compiler.reset()
        compiled = torch.compile(COMPILED[operator], dynamic=False)
        calls["torch.compile"] = lambda: compiled(*inputs)
    if operator == "softmax_rows":
        for warps in (4, 8, 16, 32):
            calls[f"Triton, {warps} warps"] = lambda call=triton_softmax_rows(warps): call(*inputs)
    return calls


def is_right(result, expected):
    scale = expected.abs().max().item()
    return (result.double() - expected).abs().max().item() <= 1e-4 * max(scale, 1e-30)


class Clock:
    """Times one call: the chip is busy until all is enqueued, then L2 is flushed."""

    def __init__(self):
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.flushed = torch.zeros(2 * l2 // 4, device="cuda")
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_us(self, call):
        torch.cuda._sleep(400000)
        self.flushed.sum()
        self.begin.record()
        call()
        self.end.record()
        self.end.synchronize()
        return 1000 * self.begin.elapsed_time(self.end)


def time_size(clock, operator, size, modules):
    """Rows of peers.csv."""
    numbers = [int(number) for number in size.split("x")]
    shapes, shape = INPUTS[operator](*numbers)
    inputs = [torch.randn(one, device="cuda") for one in shapes]
    output = torch.full(shape, float("nan"), device="cuda")
    expected = FORMULAS[operator](*(one.double() for one in inputs))
    calls, samples = calls_of(operator, size, modules, inputs, output, numbers), {}
    for name, call in list(calls.items()):
        output.fill_(float("nan"))
        try:
            right = is_right(call(), expected)
        except Exception as failed:  # a compiler's limits: the others are timed all the same
            right = str(failed).splitlines()[0]
        if right is not True:
            print(f"{operator} {size}: {name} is left out: {right or 'wrong'}", file=sys.stderr)
            del calls[name]
    del expected
    first = {name: clock.time_us(call) for name, call in calls.items()}
    rounds = min(SAMPLES, max(20, int(1e6 * BUDGET_S / (sum(first.values()) + 300 * len(first)))))
    for _ in range(rounds):
        for name in random.sample(list(calls), len(calls)):
            samples.setdefault(name, []).append(clock.time_us(calls[name]))
    for name, times in samples.items():
        low, _, high = statistics.quantiles(times, n=4)
        yield f'{operator},{size},"{name}",{statistics.median(times):.2f},{high - low:.2f},{rounds}'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--also", nargs="*", default=[], help="name=operator=module")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    random.seed(1)
    made, clock = chip(), Clock()
    lines = [f"# {made['gpu']}, driver {made['driver']}, CUDA {made['cuda']},"
             f" {datetime.date.today().isoformat()}: tests/gpu/time_peers.py, torch"
             f" {torch.__version__}, Triton {triton.__version__}",
             "operator,size,name,median_us,iqr_us,samples"]
    with tempfile.TemporaryDirectory() as folder:
        chosen = {operator: kata_files(operator) for operator in OPERATORS}
        files = sorted({file for sizes in chosen.values() for some in sizes.values()
                        for file in some})
        modules = dict(zip(files, in_parallel(lambda file: module_of(pathlib.Path(folder), file),
                                              files, 16)))
        for operator, sizes in chosen.items():
            others = {name: module for name, of, module in
                      (also.split("=") for also in arguments.also) if of == operator}
            for size, some in sizes.items():
                here = {pathlib.Path(file).stem.removeprefix("library_"): modules[file]
                        for file in some if modules[file]}
                lines += time_size(clock, operator, size, here | others)
                arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
                print(f"{operator} {size}", flush=True)


if __name__ == "__main__":
    main()

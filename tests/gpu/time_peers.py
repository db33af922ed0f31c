#!/usr/bin/env python3
"""Times operators beside other programs in one run: their best rungs, their libraries, PyTorch,
torch.compile and Triton (peers/), and a copy or a read of as many bytes. Writes peers.csv, which
make_peers.py reads. Needs a GPU, a built kata, nvcc, PyTorch and Triton.

    tests/gpu/time_peers.py --out tests/gpu/peers.csv --random 12
    tests/gpu/time_peers.py --operators "layernorm rmsnorm" ...  the other operators' rows stay
    tests/gpu/time_peers.py --seconds 560 ...  time limit, shared evenly; sizes not timed are listed
    tests/gpu/time_peers.py --also "CUTLASS=sgemm=FILE.so" ...   other modules with an entry

Samples of one size are interleaved in random order, L2 is flushed by reads, and in-out tensors are
restored before each sample. Products of matrices do not use TF32. Every result is compared with
PyTorch's in double precision. Each operator has a process of its own: where a kernel or a program
fails, its rows are left out, the rest is timed, and the exit status is 1."""

import argparse
import ctypes
import datetime
import functools
import math
import multiprocessing
import pathlib
import random
import statistics
import sys
import tempfile
import time
import traceback

import torch
import triton

from common import ROOT, chip, compiled, in_parallel, rungs
from make_peers import COLUMNS, by_origin, read_peers
from make_performance import is_rung, kept_times
from peer_case import OPERATORS, NotTaken, as_list, case_of, module_of, random_sizes

SAMPLES = 200
BUDGET_S = 1.0  # of samples for each size, a third of it for random ones
RUNGS = 2  # of each size: the fastest of the kept times
CEILINGS = "harness/timing/ceilings.cu"  # what `kata bench` takes its limits from
GRANULE = 8192  # floats: these kernels move multiples of it
MEMORY = 100e9  # bytes for PyTorch: a size that needs more is skipped
SLOW, FEW = 50, 5  # what takes SLOW times as long as the fastest has FEW samples
BUSY_CYCLES, MOST_BUSY_S = 400000, 0.02  # before each call, at least and at most
CYCLES_PER_S = 2e9
GRACE_S = 20  # extra seconds in which an operator may finish its current size


def compiled_module(folder, build, file):
    """A candidate as kata compiles it; None, with a message, if it does not compile."""
    module = compiled(file, folder, build, ["-w", "-Xcompiler", "-fno-gnu-unique"], 200)
    if isinstance(module, str):
        print(f"{file}: {module}", file=sys.stderr)
        return None
    return module


def kata_files(operator, sizes):
    """{size: the files to time at it}: the fastest rungs of the kept times, and the libraries. At a
    size without kept times: the last rung, and the fastest ones of the kept sizes."""
    folder = ROOT / "solutions" / operator
    libraries = [str(file.relative_to(ROOT)) for file in sorted(folder.glob("library_*.cu"))]
    file_of = lambda row: f"solutions/{operator}/{row['name']}.cu"
    fastest = {}  # rungs of each kept size
    for row in sorted(kept_times(operator).rows, key=lambda row: float(row["median_us"])):
        if is_rung(row) and (ROOT / file_of(row)).exists():
            fastest.setdefault(row["size"], []).append(file_of(row))
    best = list(dict.fromkeys([rungs(operator)[-1], *(files[0] for files in fastest.values())]))
    return {size: fastest.get(size.split()[0], best)[:RUNGS] + libraries for size in sizes}


def fixed_sizes(operator, most):
    """The sizes of times.csv, and MORE_SIZES of the operator's file."""
    return (list(dict.fromkeys(row["size"] for row in kept_times(operator).rows))[:most]
            + getattr(module_of(operator), "MORE_SIZES", []))


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
    compile = functools.partial(torch.compile, dynamic=False, **options)
    if case.compile_part:
        compiled = case.compile_part(compile)
    else:
        compiled = compile(case.compiled or case.formula)
    return lambda: compiled(*case.inputs)


def calls_of(operator, case, modules, may_compile, tune):
    """{name: a call without arguments}."""
    calls = {name: entry_call(module, operator, case) for name, module in modules.items()}
    calls["PyTorch"] = lambda: case.formula(*case.inputs)
    if case.may_compile and may_compile:
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


def enqueue_s(call, restore):
    """CPU time to enqueue a call; includes the GPU's time if the call synchronizes."""
    restore()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


class Clock:
    """Times one call: the chip is busy until all is enqueued, then L2 is flushed."""

    def __init__(self):
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.flushed = torch.zeros(2 * l2 // 4, device="cuda")
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_us(self, call, restore, cpu_s):
        """`cpu_s`: the call's enqueue_s."""
        restore()
        busy_s = min(1.2 * cpu_s, MOST_BUSY_S)
        torch.cuda._sleep(max(BUSY_CYCLES, int(CYCLES_PER_S * busy_s)))
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
    return None if case.is_right(as_list(call()), expected) else "wrong"


def right_calls(operator, size, case, calls, restore, arguments):
    """The calls without those that fail, and whether any has failed. Says which, on stderr."""
    expected, right, failed = case.expected(), {}, False
    for name, call in calls.items():
        try:
            wrong = fault(call, case, expected, restore)
        except NotTaken:
            continue
        except Exception as error:  # a compiler's limits: the others are timed all the same
            wrong = f"{type(error).__name__}: {str(error)[:200]}".splitlines()[0]
        if wrong:
            print(f"{operator} {size}: {name} is left out: {wrong}", file=sys.stderr, flush=True)
            failed = True
            continue
        right[name] = call
        if arguments.show_code and name.startswith("torch.compile"):
            show_code(arguments.show_code / f"{operator}.py", f"{operator} {size}: {name}")
    return right, failed


def samples_of(clock, calls, restore, budget_s):
    """{name: times}."""
    cpu_s = {name: enqueue_s(call, restore) for name, call in calls.items()}
    first = {name: clock.time_us(call, restore, cpu_s[name]) for name, call in calls.items()}
    slow = {name for name in first if first[name] > SLOW * min(first.values())}
    usual = sum(time_us for name, time_us in first.items() if name not in slow)
    rounds = min(SAMPLES, max(20, int(1e6 * budget_s / (usual + 300 * len(first)))))
    samples = {name: [] for name in calls}
    for i in range(rounds):
        for name in random.sample(list(calls), len(calls)):
            if name not in slow or i < FEW:
                samples[name].append(clock.time_us(calls[name], restore, cpu_s[name]))
    return samples


def time_size(clock, operator, size, modules, ceilings, arguments):
    """Lines of peers.csv, and whether any call has failed."""
    is_random = size in random_sizes(operator, arguments.random)
    may_compile = (arguments.compile_random if is_random
                   else size in fixed_sizes(operator, arguments.sizes)[:arguments.compiled])
    case = case_of(operator, size)
    before = [case.inputs[i].clone() for i in case.in_out]

    def restore():
        for i, tensor in zip(case.in_out, before):
            case.inputs[i].copy_(tensor)

    tune = operator in arguments.max_autotune.split()
    calls = calls_of(operator, case, modules, may_compile, tune)
    calls, failed = right_calls(operator, size, case, calls, restore, arguments)
    if ceilings and case.moves_memory:
        calls |= limit_calls(ceilings, case)
    lines = []
    budget_s = BUDGET_S / 3 if is_random else BUDGET_S
    for name, times in samples_of(clock, calls, restore, budget_s).items():
        low, middle, high = statistics.quantiles(times, n=4)
        lines.append(f'{operator},{size},"{name}",{middle:.2f},{high - low:.2f},{len(times)}')
    return lines, failed


def time_operator(operator, sizes, modules, others, arguments, share_s, sender):
    """Runs in a separate process, so that its exit frees PyTorch's memory and clears a kernel's
    fault. Sends the lines of each size as they come. Exit status 1 if anything has failed."""
    end = time.monotonic() + share_s
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    random.seed(1)
    torch.manual_seed(1)
    memory = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1, MEMORY / memory))
    clock, failed = Clock(), False
    for size, files in sizes.items():
        if time.monotonic() > end:
            left = list(sizes)[list(sizes).index(size):]
            print(f"{operator}: no time for {', '.join(left)}", file=sys.stderr)
            break
        here = {pathlib.Path(file).stem.removeprefix("library_"): modules[file]
                for file in files if modules[file]}
        try:
            lines, any_failed = time_size(clock, operator, size, here | others,
                                          modules[CEILINGS], arguments)
            failed |= any_failed
            sender.send((size, lines))
            print(f"{operator} {size}", flush=True)
        except torch.cuda.OutOfMemoryError as full:
            print(f"{operator} {size}: skipped: {str(full)[:200]}", file=sys.stderr)
        except Exception as error:  # a size, or after a fault of a kernel all that follow
            failed = True
            traceback.print_exc(limit=-3)
            print(f"{operator} {size}: {type(error).__name__}", file=sys.stderr)
        torch.cuda.empty_cache()
    sys.exit(failed)


def lines_of(process, receiver, limit_s):
    """What a process of time_operator sends, until it ends or has to be ended."""
    end = time.monotonic() + limit_s
    while receiver.poll(max(0, end - time.monotonic())):
        try:
            yield receiver.recv()
        except EOFError:
            return
    process.kill()
    print(f"{process.name} killed: out of time", file=sys.stderr)


def is_of(line, size):
    return line.split(",")[1] == size


def write(path, origins, rows):
    """`rows` are lines of the operators, `origins` say where and when each operator was timed."""
    lines = [f"# {origin}: {' '.join(names)}" for origin, names in by_origin(origins, rows).items()]
    lines += [",".join(COLUMNS), *(line for name in rows for line in rows[name])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="other operators' rows stay in this file, and so do a chosen one's rows"
                             " of the same chip, programs and day at sizes that are not timed")
    parser.add_argument("--missing", action="store_true",
                        help="only sizes that --out has no rows for, of this chip and day")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="the build folder, for its headers")
    parser.add_argument("--operators", default=" ".join(OPERATORS))
    parser.add_argument("--sizes", type=int, metavar="COUNT",
                        help="only the first COUNT sizes of each operator")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT",
                        help="COUNT random sizes, the same in each run")
    parser.add_argument("--seconds", type=float, default=86400,
                        help="time limit of the whole run; the remaining time is shared equally"
                             " among the operators")
    parser.add_argument("--compiled", type=int, default=4, metavar="COUNT",
                        help="torch.compile only at the first COUNT kept sizes")
    parser.add_argument("--compile-random", action="store_true",
                        help="torch.compile at random sizes too")
    parser.add_argument("--max-autotune", default="", metavar="OPERATORS",
                        help="time torch.compile with max-autotune for these too")
    parser.add_argument("--show-code", type=pathlib.Path, metavar="FOLDER",
                        help="write what torch.compile generates to FOLDER/<operator>.py")
    parser.add_argument("--also", nargs="*", default=[], help="name=operator=module")
    return parser.parse_args()


def main():
    arguments = parse()
    end = time.monotonic() + arguments.seconds
    if arguments.show_code:
        arguments.show_code.mkdir(parents=True, exist_ok=True)
    made = chip()
    origin = (f"{made['gpu']}, driver {made['driver']}, CUDA {made['cuda']},"
              f" torch {torch.__version__}, Triton {triton.__version__},"
              f" {datetime.date.today().isoformat()}")
    origins, rows = read_peers(arguments.out) if arguments.out.exists() else ({}, {})
    chosen, earlier = {}, dict(rows)  # rows of the same chip, programs and day can stay
    for name in arguments.operators.split():
        if origins.get(name) != origin:
            earlier[name] = []
        sizes = fixed_sizes(name, arguments.sizes) + random_sizes(name, arguments.random)
        if arguments.missing:
            sizes = [size for size in sizes if not any(is_of(line, size) for line in earlier[name])]
        if sizes:
            chosen[name] = kata_files(name, sizes)
    files = sorted({file for sizes in chosen.values() for some in sizes.values() for file in some})
    fork = multiprocessing.get_context("fork")  # this process itself never uses the GPU
    with tempfile.TemporaryDirectory() as folder:
        compile_one = lambda file: compiled_module(pathlib.Path(folder), arguments.build, file)
        modules = dict(zip(files + [CEILINGS], in_parallel(compile_one, files + [CEILINGS], 16)))
        failed = [file for file in modules if not modules[file]]
        for number, (operator, sizes) in enumerate(chosen.items()):
            share_s = (end - GRACE_S - time.monotonic()) / (len(chosen) - number)
            if share_s <= 0:
                print(f"{operator}: no time", file=sys.stderr)
                continue
            others = {name: module for name, of, module in
                      (also.split("=") for also in arguments.also) if of == operator}
            receiver, sender = fork.Pipe(duplex=False)
            process = fork.Process(name=operator, target=time_operator,
                                   args=(operator, sizes, modules, others, arguments, share_s,
                                         sender))
            process.start()
            sender.close()
            kept = earlier.get(operator, [])
            for size, lines in lines_of(process, receiver, share_s + GRACE_S):
                kept = [line for line in kept if not is_of(line, size)] + lines
                origins[operator], rows[operator] = origin, kept
                write(arguments.out, origins, rows)
            process.join()
            if process.exitcode:
                failed.append(operator)
    if failed:
        print(f"failed: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

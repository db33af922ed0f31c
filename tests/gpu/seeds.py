"""The phase seeds: every rung on many random inputs, on the GPU and on the emulator at once."""

import os
import re
import time

from common import in_parallel, operators, rungs, run, summary, write_table

# The program that judges, and how much: small cases, so that there are many. The emulator takes up
# to 40 ms for one: what the fast rungs do not need is left to the slow.
PROGRAMS = {"gpu": ("accepted_gpu", {"KATA_SEEDS": "10000", "KATA_MOST_WORK": "20000"}),
            "emulator": ("test_accepted", {"KATA_SEEDS": "10000", "KATA_MOST_WORK": "4000",
                                           "KATA_RUNS": "10000"})}
ROW = re.compile(r"^(\S+/\S+) +(\d+) runs of (\d+) seeds, (\d+) rejected, error at most ([\d.]+)",
                 re.MULTILINE)


def build(arguments, backends):
    """Empty, or what went wrong. The tests' own build option is on afterwards."""
    targets = [PROGRAMS[backend][0] for backend in backends]
    for command in (["cmake", "-DKATA_SELFTEST=ON", str(arguments.build)],
                    ["cmake", "--build", str(arguments.build), "--parallel", str(os.cpu_count()),
                     "--target", *targets]):
        status, output, errors = run(command, 150)
        if status != 0:
            return output[-1000:] + errors[-2000:]
    return ""


def jobs_of(backend, processes, chosen):
    """(backend, rungs) for each of so many processes."""
    names = [file.removeprefix("solutions/").removesuffix(".cu")
             for operator in chosen for file in rungs(operator)]
    return [(backend, names[first::processes]) for first in range(min(processes, len(names)))]


def judge(arguments, job, seconds):
    """Rows of seeds.csv, and what a person should read."""
    backend, names = job
    program, amount = PROGRAMS[backend]
    status, output, errors = run(
        [str(arguments.build / program), "-tc=every rung*"], seconds + 15,
        env={**os.environ, **amount, "KATA_CANDIDATES": " ".join(names),
             "KATA_SECONDS": str(int(seconds))})
    rows = [[backend, *row] for row in ROW.findall(output)]
    wrong = [f"  {backend}: {name} was not judged" for name in names
             if name not in (row[1] for row in rows)]
    if status != 0:
        wrong.append(f"  {backend}: exit {status}: {output[-2000:]}{errors[-1000:]}")
    return rows, wrong


def phase_seeds(arguments):
    """How many runs of each rung are accepted: seeds.csv. A run is one case with one seed, called
    twice. Processes take turns on a GPU, so that few of them have most of it."""
    end = time.monotonic() + arguments.seconds
    failed = build(arguments, arguments.backends)
    if failed:
        summary(arguments, "seeds: not built", [failed])
        return False
    on_gpu = arguments.gpu_processes if "gpu" in arguments.backends else 0
    processes = {"gpu": on_gpu, "emulator": max(1, os.cpu_count() - on_gpu)}
    chosen = arguments.operators or operators()
    jobs = [job for backend in arguments.backends
            for job in jobs_of(backend, processes[backend], chosen)]
    results = in_parallel(lambda job: judge(arguments, job, end - time.monotonic()),
                          jobs, len(jobs))
    rows = sorted(row for rows, _ in results for row in rows)
    wrong = [line for _, lines in results for line in lines]
    write_table(arguments, "seeds.csv", "seeds",
                ["backend", "rung", "runs", "seeds", "rejected", "largest_error"], rows)
    for backend in arguments.backends:
        runs = [int(row[2]) for row in rows if row[0] == backend] or [0]
        rejected = sum(int(row[4]) for row in rows if row[0] == backend)
        wrong.insert(0, f"  {backend}: {sum(runs)} runs, {min(runs)} or more of each rung, "
                        f"{rejected} rejected")
    summary(arguments, "seeds: random runs of every rung", wrong)
    return all(not lines for _, lines in results)

"""What the operators' files in peers/ share. Each has `case(*sizes)`, the operator at a size, and
`random_size(draw)`; it may have MORE_SIZES besides those of the kept times, which may end in a word
that goes to `case` as an argument. The entries' signatures are in exercises/<operator>/."""

import dataclasses
import functools
import importlib
import pathlib
import random
from collections.abc import Callable

import torch
import triton

DEVICE = "cuda"
EPS = 1e-5
BF16, HALF, INT = torch.bfloat16, torch.float16, torch.int32
FEW_TAPS = 8  # a convolution with more of them is also timed by FFT
MANY_TAPS = 56  # a convolution with this many or more is limited by arithmetic
MOST_UNFOLDED = 256  # taps; beyond it, torch.compile's sum of shifted inputs is hopeless
OPERATORS = sorted(file.stem for file in (pathlib.Path(__file__).parent / "peers").glob("*.py"))


def module_of(operator):
    return importlib.import_module(f"peers.{operator}")


def case_of(operator, size):
    """The case of a size such as "4096x4096" or "4096x4096 distinct"."""
    numbers, *kind = size.split()
    return module_of(operator).case(*map(int, numbers.split("x")), **dict.fromkeys(kind, True))


def random_sizes(operator, count):
    """The same sizes in each run, within the ranges that the exercise promises."""
    draw = random.Random(operator)
    return ["x".join(map(str, module_of(operator).random_size(draw))) for _ in range(count)]


def upto(draw, low, high):
    """Even on a log scale."""
    return round(low * (high / low) ** draw.random())


class NotTaken(Exception):
    """A peer does not take this case; that is no failure."""


@dataclasses.dataclass
class Case:
    """An operator at one size. The entry takes the inputs, the outputs and the scalars."""
    inputs: list
    outputs: list
    scalars: list
    formula: Callable  # of the inputs, which changes those that are in-out; returns all results
    in_out: tuple = ()  # positions of inputs that are results too, the first ones
    exact: Callable | None = None  # of the inputs in double, where the formula does not suit it
    compared: Callable | None = None  # the parts of the results that must be right, if not all
    compiled: Callable | None = None  # for torch.compile, where another formula suits it
    compile_part: Callable | None = None  # a formula, given torch.compile, that uses it for a part
    may_compile: bool = True  # False where torch.compile would call the same kernels
    peers: dict = dataclasses.field(default_factory=dict)  # {name: another formula}
    tolerance: float = 1e-4  # relative to the largest magnitude of a result
    bytes_read: int | None = None  # if not all of the inputs
    moves_memory: bool = True  # memory is the limit

    def results(self):
        return [self.inputs[i] for i in self.in_out] + self.outputs

    def expected(self):
        doubles = [one.double() if one.is_floating_point() else one for one in self.inputs]
        return as_list((self.exact or self.formula)(*doubles))

    def is_right(self, results, expected):
        if self.compared:
            results, expected = self.compared(*results), self.compared(*expected)
        return len(results) == len(expected) and all(
            is_near(result, right, self.tolerance) for result, right in zip(results, expected))


def as_list(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


def is_near(result, right, tolerance):
    if result.numel() != right.numel():
        return False
    scale = right.double().abs().max().item()
    worst = (result.double().reshape(-1) - right.double().reshape(-1)).abs().max().item()
    return worst <= tolerance * max(scale, 1e-30)


def randn(*shape, dtype=torch.float32):
    return torch.randn(shape, device=DEVICE).to(dtype)


def empty(*shape, dtype=torch.float32):
    return torch.empty(shape, device=DEVICE, dtype=dtype)


def below(limit, count):
    return torch.randint(limit, (count,), device=DEVICE, dtype=INT)


def distinct_rows(rows, cols):
    """[rows, cols] float: each row has the numbers 0 to cols - 1 in random order. (torch.topk does
    not say which of two equal values comes first.)"""
    return torch.rand(rows, cols, device=DEVICE).argsort(1).float()


def power_law(count, total):
    """[count] int64: shares of `total` in proportion to (i + 1)^-0.75, rounded down."""
    weights = torch.arange(1, count + 1, device=DEVICE, dtype=torch.float64) ** -0.75
    return (weights / weights.sum() * total).long()


def elementwise(formula, inputs=1):
    return lambda n: Case([randn(n) for _ in range(inputs)], [empty(n)], [n], formula)


def reduction(formula):
    return lambda n: Case([randn(n)], [empty(1)], [n], lambda x: formula(x).reshape(1))


def vector_size(draw):
    """Of operators with one size, n."""
    return (upto(draw, 10**4, 2 * 10**8),)


def matrix_size(draw):
    """Of operators on the rows of a matrix: at most 2^28 elements."""
    cols = upto(draw, 32, 131072)
    return upto(draw, 16, min(2**28 // cols, 2**18)), cols


def product_size(draw):
    """M, N and K of a product of matrices."""
    return upto(draw, 64, 8192), upto(draw, 64, 8192), upto(draw, 64, 8192)


def tiles(cols):
    """Rows of a program and its warps, for kernels that keep whole rows in registers."""
    if cols <= 512:
        return [(1, 1), (2, 2), (4, 4), (8, 4)]
    return [(1, warps) for warps in ((4, 8, 16) if cols <= 16384 else (16, 32))]


def triton_peers(words, call, options):
    """{name: a call} for each tuple of options. `words` formats the options, or the first of them,
    for the name."""
    return {f"Triton, {words.format(*some)}": functools.partial(call, *some) for some in options}


def row_peers(kernel, cols, launch):
    """{name: a call} for each of the tiles, by launch(kernel[grid], options, *inputs)."""
    def call(rows, warps, *inputs):
        options = {"ROWS": rows, "BLOCK": triton.next_power_of_2(cols), "num_warps": warps}
        return launch(kernel[(triton.cdiv(inputs[0].shape[0], rows),)], options, *inputs)
    of_rows = lambda rows: f"{rows} rows, " if rows > 1 else ""
    return {f"Triton, {of_rows(rows)}{warps} warps": functools.partial(call, rows, warps)
            for rows, warps in tiles(cols)}

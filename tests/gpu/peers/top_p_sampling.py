import math

import torch
import triton
import triton.language as tl

from peer_case import DEVICE, INT, Case, empty, randn, triton_peers, upto

STEPS = 256  # logits are multiples of 1 / STEPS
MOST_STEPS = 400 * STEPS  # from the largest logit to the least finite one
SHARES = 1, 1e-6, 0.1, 0.5, 0.9, 0.95  # of p; every seventh row draws its own


@triton.jit
def weight_from(row, vocab, least, top, BLOCK: tl.constexpr):
    """Of the tokens whose logit is at least `least`."""
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, vocab, BLOCK):
        v = first + tl.arange(0, BLOCK)
        logit = tl.load(row + v, mask=v < vocab, other=-float("inf"))
        total += tl.where(logit >= least, tl.exp(logit - top), 0)
    return tl.sum(total, 0)


@triton.jit
def top_p_kernel(logits, p, uniform, token, vocab, STEPS: tl.constexpr, MOST_STEPS: tl.constexpr,
                 ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    """A program has one row. Bisection finds the least logit of the nucleus."""
    row = logits + tl.program_id(0).to(tl.int64) * vocab
    tops = tl.full([BLOCK], -float("inf"), tl.float32)
    for first in range(0, vocab, BLOCK):
        v = first + tl.arange(0, BLOCK)
        tops = tl.maximum(tops, tl.load(row + v, mask=v < vocab, other=-float("inf")))
    top = tl.max(tops, 0)
    needed = weight_from(row, vocab, top - MOST_STEPS / STEPS, top, BLOCK)
    needed *= tl.load(p + tl.program_id(0))
    low, high = 0, MOST_STEPS  # so many steps down to `high` are enough
    for _ in range(ROUNDS):
        middle = (low + high) // 2
        is_enough = weight_from(row, vocab, top - middle / STEPS, top, BLOCK) >= needed
        low = tl.where(is_enough, low, middle + 1)
        high = tl.where(is_enough, middle, high)
    least = top - high / STEPS
    above = weight_from(row, vocab, least + 1 / STEPS, top, BLOCK)
    of_one = tl.exp(least - top)
    equal = tl.floor((weight_from(row, vocab, least, top, BLOCK) - above) / of_one + 0.5)
    ties = tl.maximum(tl.minimum(tl.ceil((needed - above) / of_one), equal), 1.0)
    bound = tl.load(uniform + tl.program_id(0)) * (above + ties * of_one)
    before, ties_before = 0.0, 0
    found, last = tl.full([BLOCK], vocab, tl.int32), tl.zeros([BLOCK], tl.int32)
    for first in range(0, vocab, BLOCK):
        v = first + tl.arange(0, BLOCK)
        logit = tl.load(row + v, mask=v < vocab, other=-float("inf"))
        is_tie = (logit == least).to(tl.int32)
        order = ties_before + tl.cumsum(is_tie, 0)
        is_in = (logit > least) | ((logit == least) & (order <= ties))
        weight = tl.where(is_in, tl.exp(logit - top), 0)
        running = before + tl.cumsum(weight, 0)
        found = tl.minimum(found, tl.where(is_in & (running > bound), v, vocab))
        last = tl.maximum(last, tl.where(is_in, v, 0))
        before += tl.sum(weight, 0)
        ties_before += tl.sum(is_tie, 0)
    first_found = tl.min(found, 0)
    tl.store(token + tl.program_id(0), tl.where(first_found < vocab, first_found, tl.max(last, 0)))


def by_bisection(block, warps, logits, p, uniform):
    rows, vocab = logits.shape
    token = empty(rows, dtype=INT)
    top_p_kernel[(rows,)](logits, p, uniform, token, vocab, STEPS=STEPS, MOST_STEPS=MOST_STEPS,
                          ROUNDS=MOST_STEPS.bit_length(), BLOCK=block, num_warps=warps)
    return token


def nucleus_weights(logits, p):
    """[rows, vocab]: the weights of the tokens in the nucleus, by index; of the others 0. And which
    tokens are in it."""
    in_order, places = logits.sort(dim=1, descending=True, stable=True)
    top = in_order[:, :1]
    running = (in_order - top).exp().cumsum(1)
    crossing = torch.searchsorted(running, p[:, None] * running[:, -1:])
    kept = torch.arange(logits.shape[1], device=logits.device) <= crossing
    is_in = torch.empty_like(kept).scatter_(1, places, kept)
    return torch.where(is_in, (logits - top).exp(), 0), is_in


def by_sorting(logits, p, uniform):
    weights, is_in = nucleus_weights(logits, p)
    running = weights.cumsum(1)
    found = torch.searchsorted(running, uniform[:, None] * running[:, -1:], right=True)[:, 0]
    token = torch.arange(logits.shape[1], device=logits.device, dtype=INT)
    return found.minimum(torch.where(is_in, token, 0).amax(1)).int()


def draw_logits(rows, vocab):
    """Rows take turns: normal with deviation 3 or 1, few values, a third of the tokens. Sixteen
    tokens of each have half of its weight."""
    kind = torch.arange(rows, device=DEVICE)[:, None] % 4
    logits = randn(rows, vocab) * torch.where(kind == 0, 3, 1)
    logits = torch.where(kind == 2, (2 * logits).round() / 2, logits)
    is_bare = (kind == 3) & (torch.rand(rows, vocab, device=DEVICE) > 1 / 3)
    logits.masked_fill_(is_bare, -torch.inf)
    heavy = torch.randint(vocab, (rows, 16), device=DEVICE)
    share = (logits.logsumexp(1, keepdim=True) - math.log(16)
             + torch.rand(rows, 16, device=DEVICE) - 0.5)
    return (logits.scatter(1, heavy, share) * STEPS).round() / STEPS


def draw_inputs(rows, vocab):
    """p and a number that leave no doubt: the middle of the heaviest token of the nucleus, or of
    the first one. Where a sum that errs could change the token, the nucleus is a single token."""
    logits = draw_logits(rows, vocab)
    r = torch.arange(rows, device=DEVICE)
    shares = torch.tensor([*SHARES, 0], device=DEVICE)[r % 7]
    p = torch.where(r % 7 == 6, 0.02 + 0.97 * torch.rand(rows, device=DEVICE), shares)
    weights, _ = nucleus_weights(logits.double(), p.double())
    chosen = weights.argmax(1, keepdim=True)
    middle = (weights.cumsum(1) - weights / 2).gather(1, chosen) / weights.sum(1, keepdim=True)
    uniform = torch.where(r % 5 == 0, 0, middle[:, 0]).float()
    error = 4 * max(2.0**-16, vocab * 2.0**-28)
    is_certain = torch.ones(rows, device=DEVICE, dtype=torch.bool)
    token = by_sorting(logits.double(), p.double(), uniform.double())
    for sign in (-1, 0, 1):
        moved = (p.double() + sign * error).clamp(1e-9, 1)
        for change in (-error, error):
            number = torch.where(uniform == 0, 0, uniform.double() + change).clamp(0, 1 - 1e-9)
            is_certain &= by_sorting(logits.double(), moved, number) == token
    return logits, torch.where(is_certain, p, 1e-6), torch.where(is_certain, uniform, 0)


def case(rows, vocab):
    blocks = ((4096, 8), (4096, 16), (8192, 16))
    return Case([*draw_inputs(rows, vocab)], [empty(rows, dtype=INT)], [rows, vocab], by_sorting,
                peers=triton_peers("bisection, {} columns, {} warps", by_bisection, blocks),
                tolerance=0)


def random_size(draw):
    vocab = upto(draw, 1000, 262144)
    return upto(draw, 1, min(4096, 2**26 // vocab)), vocab

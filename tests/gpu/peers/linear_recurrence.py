import torch
import triton
import triton.language as tl
from torch._higher_order_ops.associative_scan import associative_scan

from peer_case import DEVICE, Case, empty, randn, triton_peers, upto


@triton.jit
def then(a, b, next_a, next_b):
    """First h -> a h + b, then h -> next_a h + next_b."""
    return a * next_a, next_a * b + next_b


@triton.jit
def recurrence_kernel(a, b, h, length, channels, STEPS: tl.constexpr, COLS: tl.constexpr):
    """A program walks along COLS channels of a sequence, STEPS steps at a time."""
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)[None, :]
    step = tl.arange(0, STEPS)[:, None]
    first = tl.program_id(1).to(tl.int64) * length * channels
    before = tl.zeros([1, COLS], tl.float32)
    for start in range(0, length, STEPS):
        inside = (start + step < length) & (col < channels)
        place = first + (start + step).to(tl.int64) * channels + col
        factor = tl.load(a + place, mask=inside, other=1)
        value = tl.load(b + place, mask=inside, other=0)
        factor, value = tl.associative_scan((factor, value), 0, then)
        value += factor * before
        tl.store(h + place, value, mask=inside)
        before = tl.sum(tl.where(step == STEPS - 1, value, 0), 0, keep_dims=True)


@triton.jit
def walk_kernel(a, b, h, length, channels, COLS: tl.constexpr):
    """A thread for each sequence and channel."""
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    inside = col < channels
    place = tl.program_id(1).to(tl.int64) * length * channels + col
    value = tl.zeros([COLS], tl.float32)
    for _ in range(length):
        value = value * tl.load(a + place, mask=inside) + tl.load(b + place, mask=inside)
        tl.store(h + place, value, mask=inside)
        place += channels


def case(batch, length, channels):
    def doubling(a, b):
        """After each round, h holds what twice as many steps make of 0."""
        a, h, reach = a.clone(), b.clone(), 1
        while reach < length:
            h[:, reach:] = torch.addcmul(h[:, reach:], a[:, reach:], h[:, :-reach])
            a[:, reach:] = a[:, reach:] * a[:, :-reach]
            reach *= 2
        return h

    def scanned(a, b):
        combine = lambda one, two: (one[0] * two[0], two[0] * one[1] + two[1])
        return associative_scan(combine, (a, b), dim=1, combine_mode="pointwise")[1]

    def by_steps(steps, cols, a, b):
        h = empty(batch, length, channels)
        recurrence_kernel[(triton.cdiv(channels, cols), batch)](a, b, h, length, channels,
                                                                STEPS=steps, COLS=cols)
        return h

    def walk(cols, a, b):
        h = empty(batch, length, channels)
        walk_kernel[(triton.cdiv(channels, cols), batch)](a, b, h, length, channels, COLS=cols,
                                                          num_warps=cols // 32)
        return h
    shapes = ((64, 32), (128, 16)) if channels > 8 else ((1024, 1), (2048, 1))
    peers = triton_peers("{} steps x {} channels", by_steps, shapes)
    peers |= triton_peers("{} channels", walk, ((32,), (64,), (128,)))
    # Each channel forgets at its own pace, after 1 to 1000 steps.
    forgotten = 10 ** (-3 * torch.rand(channels, device=DEVICE))
    a = 1 - forgotten * torch.rand(batch, length, channels, device=DEVICE)
    return Case([a, randn(batch, length, channels)], [empty(batch, length, channels)],
                [batch, length, channels], doubling, compiled=scanned, peers=peers)


def random_size(draw):
    channels, length = upto(draw, 1, 4096), upto(draw, 64, 65536)
    return upto(draw, 1, max(1, min(256, 2**27 // (channels * length)))), length, channels

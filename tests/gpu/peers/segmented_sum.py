import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, Case, empty, power_law, randn, triton_peers, upto


@triton.jit
def segmented_sum_kernel(x, offsets, y, segments, SEGMENTS: tl.constexpr, STEP: tl.constexpr):
    """A program has SEGMENTS segments and walks along all of them, STEP elements at a time."""
    s = tl.program_id(0) * SEGMENTS + tl.arange(0, SEGMENTS)
    begin = tl.load(offsets + s, mask=s < segments, other=0)
    end = tl.load(offsets + s + 1, mask=s < segments, other=0)
    total = tl.zeros([SEGMENTS, STEP], tl.float32)
    for first in range(0, tl.max(end - begin, 0), STEP):
        i = begin[:, None] + first + tl.arange(0, STEP)[None, :]
        total += tl.load(x + i, mask=i < end[:, None], other=0)
    tl.store(y + s, tl.sum(total, 1), mask=s < segments)


def case(n, segments):
    """Equal lengths where they come out even, otherwise a power law, as the problem draws them."""
    if n % segments == 0:
        offsets = torch.arange(segments + 1, device=DEVICE) * (n // segments)
    else:
        lengths = power_law(segments, n)
        lengths[0] += n - lengths.sum()
        offsets = F.pad(lengths[torch.randperm(segments, device=DEVICE)].cumsum(0), (1, 0))

    def kernel(count, step, x, offsets):
        y = empty(segments)
        segmented_sum_kernel[(triton.cdiv(segments, count),)](x, offsets, y, segments,
                                                              SEGMENTS=count, STEP=step)
        return y
    peers = triton_peers("{} segments, {} elements", kernel,
                         ((64, 16), (128, 16), (32, 32), (1, 1024)))
    return Case([randn(n), offsets.int()], [empty(segments)], [n, segments],
                lambda x, offsets: torch.segment_reduce(x, "sum", offsets=offsets, initial=0),
                may_compile=False, peers=peers)


def random_size(draw):
    n = upto(draw, 10**5, 10**8)
    return n, max(1, n // upto(draw, 4, 10**4))

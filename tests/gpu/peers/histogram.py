import torch
import triton
import triton.language as tl

from peer_case import INT, Case, below, empty, triton_peers, upto, vector_size


@triton.jit
def histogram_kernel(x, counts, n, bins, TILES: tl.constexpr, BLOCK: tl.constexpr,
                     BINS: tl.constexpr):
    """A program counts TILES tiles. What is past the end counts as 0, and is taken off again."""
    number = tl.arange(0, BINS)
    total = tl.zeros([BINS], tl.int32)
    first = tl.program_id(0) * TILES * BLOCK
    for tile in range(TILES):
        i = first + tile * BLOCK + tl.arange(0, BLOCK)
        total += tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS)
    outside = TILES * BLOCK - min(max(n - first, 0), TILES * BLOCK)
    total -= tl.where(number == 0, outside, 0)
    tl.atomic_add(counts + number, total, mask=(number < bins) & (total > 0))


def case(n, bins):
    def kernel(tiles, block, x):
        counts = torch.zeros(bins, device=x.device, dtype=INT)
        histogram_kernel[(triton.cdiv(n, tiles * block),)](
            x, counts, n, bins, TILES=tiles, BLOCK=block,
            BINS=triton.next_power_of_2(max(bins, 32)), num_warps=8)  # a warp's threads share them
        return counts

    def added(x):
        ones = torch.ones((), device=x.device, dtype=INT).expand(n)
        return torch.zeros(bins, device=x.device, dtype=INT).scatter_add_(0, x.long(), ones)
    peers = {"PyTorch, histc": lambda x: torch.histc(x, bins, 0, bins).int()}
    if bins <= 1024:  # its code grows with the bins
        peers |= triton_peers("{} tiles of {}", kernel, ((16, 2048), (64, 2048), (64, 1024)))
    return Case([below(bins, n)], [empty(bins, dtype=INT)], [n, bins],
                lambda x: torch.bincount(x, minlength=bins).int(), compiled=added, peers=peers,
                tolerance=0)


def random_size(draw):
    return *vector_size(draw), upto(draw, 2, 65536)

import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import Case, below, empty, randn, triton_peers, upto


@triton.jit
def cross_entropy_kernel(logits, labels, losses, classes, BLOCK: tl.constexpr):
    row = logits + tl.program_id(0).to(tl.int64) * classes
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, classes, BLOCK):  # BLOCK <= classes, so no maximum stays infinite
        col = first + tl.arange(0, BLOCK)
        value = tl.load(row + col, mask=col < classes, other=-float("inf"))
        higher = tl.maximum(top, value)
        total = total * tl.exp(top - higher) + tl.exp(value - higher)
        top = higher
    most = tl.max(top, 0)
    log_sum = tl.log(tl.sum(total * tl.exp(top - most), 0)) + most
    label = tl.load(labels + tl.program_id(0))
    tl.store(losses + tl.program_id(0), log_sum - tl.load(row + label))


def case(n, classes):
    def kernel(block, warps, logits, labels):
        losses = empty(n)
        cross_entropy_kernel[(n,)](logits, labels, losses, classes, BLOCK=block, num_warps=warps)
        return losses.mean().reshape(1)
    shapes = ((2048, 8), (4096, 8), (4096, 16), (8192, 16))
    peers = triton_peers("{} columns, {} warps", kernel,
                         [(block, warps) for block, warps in shapes if block <= classes])
    return Case([randn(n, classes), below(classes, n)], [empty(1)], [n, classes],
                lambda logits, labels: F.cross_entropy(logits, labels.long()).reshape(1),
                peers=peers)


def random_size(draw):
    classes = upto(draw, 1000, 131072)
    return upto(draw, 16, 2**29 // classes), classes

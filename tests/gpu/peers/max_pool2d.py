import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import Case, empty, randn, triton_peers, upto


@triton.jit
def max_pool2d_kernel(x, y, outputs, H, W, out_H, out_W, K: tl.constexpr, STRIDE: tl.constexpr,
                      PADDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = i // out_W % out_H * STRIDE - PADDING
    col = i % out_W * STRIDE - PADDING
    plane = x + (i // out_W // out_H).to(tl.int64) * H * W
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    for a in tl.static_range(K):
        for b in tl.static_range(K):
            inside = (row + a >= 0) & (row + a < H) & (col + b >= 0) & (col + b < W) & (i < outputs)
            place = plane + (row + a) * W + col + b
            best = tl.maximum(best, tl.load(place, mask=inside, other=-float("inf")))
    tl.store(y + i, best, mask=i < outputs)


def case(n, c, h, w, kernel_size, stride, padding):
    pooled = lambda size: (size + 2 * padding - kernel_size) // stride + 1
    formula = lambda x: F.max_pool2d(x, kernel_size, stride, padding)

    def kernel(block, warps, x):
        y = empty(n, c, pooled(h), pooled(w))
        max_pool2d_kernel[(triton.cdiv(y.numel(), block),)](
            x, y, y.numel(), h, w, pooled(h), pooled(w), K=kernel_size, STRIDE=stride,
            PADDING=padding, BLOCK=block, num_warps=warps)
        return y
    peers = triton_peers("{} outputs, {} warps", kernel, ((256, 4), (512, 4), (1024, 8)))
    return Case([randn(n, c, h, w)], [empty(n, c, pooled(h), pooled(w))],
                [n, c, h, w, kernel_size, stride, padding], formula, tolerance=0, peers=peers)


def random_size(draw):
    kernel = draw.choice((2, 3, 3, 5, 7, 9, 13))
    return (upto(draw, 1, 16), upto(draw, 16, 256), upto(draw, 14, 256), upto(draw, 14, 256),
            kernel, draw.choice((1, 2)), kernel // 2)

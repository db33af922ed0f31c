import functools

import torch
import triton
import triton.language as tl

from peer_case import BF16, DEVICE, HALF, INT, Case, empty, randn, triton_peers, upto

GROUP = 128  # weights with one scale


@triton.jit
def w4a16_kernel(W, scale, x, y, words, ROWS: tl.constexpr, WORDS: tl.constexpr):
    """For rows that are multiples of ROWS and words of a row that are multiples of WORDS."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS], tl.float32)
    for first in range(0, words, WORDS):
        word = first + tl.arange(0, WORDS)
        packed = tl.load(W + row[:, None] * words + word[None, :])
        part = tl.zeros([ROWS, WORDS], tl.float32)
        for j in tl.static_range(8):
            weight = ((packed >> (4 * j)) & 15) - 8
            part += weight.to(tl.float32) * tl.load(x + word * 8 + j).to(tl.float32)[None, :]
        of_word = tl.load(scale + row[:, None] * (words // 16) + word[None, :] // 16)
        total += tl.sum(part * of_word.to(tl.float32), 1)
    tl.store(y + row, total.to(tl.float16))


def case(m, k):
    shifts = torch.arange(0, 32, 4, device=DEVICE, dtype=INT)

    def stored(W):
        return ((W[:, :, None] >> shifts) & 15).reshape(m, k)

    def formula(W, scale, x):
        weights = (stored(W) - 8).reshape(m, k // GROUP, GROUP).to(x.dtype) * scale[:, :, None]
        return (weights * x.reshape(1, k // GROUP, GROUP)).sum((1, 2))

    def kernel(rows, words, warps, W, scale, x):
        y = empty(m, dtype=HALF)
        w4a16_kernel[(m // rows,)](W, scale, x, y, k // 8, ROWS=rows, WORDS=words, num_warps=warps)
        return y
    W = torch.randint(-2**31, 2**31, (m, k // 8), device=DEVICE, dtype=torch.int64).int()
    scale = torch.exp2(4 * torch.rand(m, k // GROUP, device=DEVICE) - 10).to(HALF)
    x = randn(k, dtype=HALF)

    @functools.cache
    def repacked():
        q = stored(W)
        tiles = torch._convert_weight_to_int4pack((q[:, ::2] << 4 | q[:, 1::2]).to(torch.uint8), 8)
        scales = torch.stack((scale, torch.zeros_like(scale)), 2).transpose(0, 1)
        return x.reshape(1, k).to(BF16), tiles, GROUP, scales.to(BF16).contiguous()

    shapes = ((1, 512, 4), (4, 128, 4), (8, 128, 4), (16, 64, 4))
    peers = triton_peers("{} x {} words, {} warps", kernel,
                         [(rows, words, warps) for rows, words, warps in shapes
                          if m % rows == 0 and k // 8 % words == 0])
    peers["PyTorch int4 (bf16, repacked beforehand)"] = \
        lambda *_: torch._weight_int4pack_mm(*repacked()).reshape(m)
    return Case([W, scale, x], [empty(m, dtype=HALF)], [m, k], formula, peers=peers, tolerance=1e-2)


def random_size(draw):
    return upto(draw, 256, 32768), GROUP * upto(draw, 4, 256)

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import BF16, DEVICE, Case, empty, randn, triton_peers, upto

BLOCK = 128  # elements of a scale
FP8 = torch.float8_e4m3fn


@triton.jit
def scaled_kernel(A, B, scale_a, scale_b, C, M, N, K, TM: tl.constexpr, TN: tl.constexpr,
                  TK: tl.constexpr):
    """C = A B^T. Tiles in groups of rows as in peer_matmul.py; a tile has one scale of B."""
    down, across, group = tl.cdiv(M, TM), tl.cdiv(N, TN), 8
    first = tl.program_id(0) // (group * across) * group
    height = min(down - first, group)
    inside = tl.program_id(0) % (group * across)
    row = (first + inside % height) * TM + tl.arange(0, TM)
    tile = inside // height
    col = tile * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    a = A + (row % M).to(tl.int64)[:, None] * K + k[None, :]
    b = B + (col % N).to(tl.int64)[None, :] * K + k[:, None]
    of_rows = scale_a + row % M
    of_tile = scale_b + tile * TN // TK * (K // TK)
    total = tl.zeros([TM, TN], tl.float32)
    for q in range(0, K // TK):
        scale = tl.load(of_rows) * tl.load(of_tile + q)
        total += tl.dot(tl.load(a), tl.load(b)) * scale[:, None]
        a += TK
        b += TK
        of_rows += M
    place = C + row.to(tl.int64)[:, None] * N + col[None, :]
    tl.store(place, total.to(tl.bfloat16), mask=(row[:, None] < M) & (col[None, :] < N))


def decoded(A, B, scale_a, scale_b):
    """A and B with their scales, in the type of the scales."""
    type, n = scale_a.dtype, B.shape[0]
    a = A.to(type) * scale_a.t().repeat_interleave(BLOCK, 1)
    b = B.to(type) * scale_b.repeat_interleave(BLOCK, 1).repeat_interleave(BLOCK, 0)[:n]
    return a, b


def case(m, n, k):
    def by_float(*inputs):
        """For sizes that cuBLASLt does not take: bf16 copies with their scales."""
        a, b = decoded(*inputs)
        return a.to(BF16) @ b.to(BF16).t()

    def by_cublaslt(A, B, scale_a, scale_b):
        by_row, by_tile = F.ScalingType.BlockWise1x128, F.ScalingType.BlockWise128x128
        return F.scaled_mm(A, B.t(), scale_a.t(), by_row, scale_b.t(), by_tile,
                           output_dtype=BF16)

    def exact(*inputs):
        a, b = decoded(*inputs)
        return a @ b.t()

    def call(tm, tn, warps, stages, *inputs):
        C = empty(m, n, dtype=BF16)
        scaled_kernel[(triton.cdiv(m, tm) * triton.cdiv(n, tn),)](
            *inputs, C, m, n, k, TM=tm, TN=tn, TK=BLOCK, num_warps=warps, num_stages=stages)
        return C
    scale = lambda *shape: torch.rand(shape, device=DEVICE) + 0.5
    inputs = [randn(m, k, dtype=FP8), randn(n, k, dtype=FP8), scale(k // BLOCK, m),
              scale(-(-n // BLOCK), k // BLOCK)]
    peers = triton_peers("{} x {}", call, ((128, 128, 8, 3), (64, 128, 4, 4), (64, 64, 4, 4)))
    # cuBLASLt takes no part of a block, and wants rows of scales at multiples of 16 bytes.
    if n % BLOCK == 0 and k % (4 * BLOCK) == 0 and m % 4 == 0:
        peers["PyTorch, scaled_mm (cuBLASLt)"] = by_cublaslt
    return Case(inputs, [empty(m, n, dtype=BF16)], [m, n, k], by_float, exact=exact, peers=peers,
                may_compile=False, tolerance=1e-2, moves_memory=m < 256)


def random_size(draw):
    """cuBLASLt takes two of three cases."""
    step = draw.choice((1, BLOCK, BLOCK))
    few = 1 if step == 1 else 4
    return (few * upto(draw, 16 // few, 8192 // few), step * upto(draw, 1024 // step, 16384 // step),
            few * BLOCK * upto(draw, 4 // few, 128 // few))

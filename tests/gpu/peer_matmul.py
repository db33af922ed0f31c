"""A product of matrices in Triton, tiles in groups of rows as in Triton's own tutorial; for hgemm,
igemm and gemm_bias_gelu."""

import triton
import triton.language as tl

from peer_case import empty, triton_peers


@triton.jit
def matmul_kernel(A, B, bias, C, M, N, K, stride_k, stride_n, TM: tl.constexpr, TN: tl.constexpr,
                  TK: tl.constexpr, WHOLE_K: tl.constexpr, SUM: tl.constexpr, GELU: tl.constexpr):
    """C = A B, or gelu(A B + bias). A is [M, K] row by row, B has strides, and the sums have the
    type SUM."""
    down, across, group = tl.cdiv(M, TM), tl.cdiv(N, TN), 8
    first = tl.program_id(0) // (group * across) * group
    height = min(down - first, group)
    inside = tl.program_id(0) % (group * across)
    row = (first + inside % height) * TM + tl.arange(0, TM)
    col = inside // height * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    a = A + (row % M)[:, None] * K + k[None, :]
    b = B + k[:, None] * stride_k + (col % N)[None, :] * stride_n
    total = tl.zeros([TM, TN], SUM)
    for done in range(0, K, TK):
        if WHOLE_K:
            total = tl.dot(tl.load(a), tl.load(b), total, out_dtype=SUM)
        else:
            left = tl.load(a, mask=k[None, :] < K - done, other=0)
            right = tl.load(b, mask=k[:, None] < K - done, other=0)
            total = tl.dot(left, right, total, out_dtype=SUM)
        a += TK
        b += TK * stride_k
    if GELU:
        total += tl.load(bias + col % N).to(tl.float32)[None, :]
        total = 0.5 * total * (1 + tl.erf(total * 0.7071067811865476))
    place = C + row[:, None].to(tl.int64) * N + col[None, :]
    tl.store(place, total.to(C.dtype.element_ty), mask=(row[:, None] < M) & (col[None, :] < N))


def matmul_peers(m, n, k, dtype, tile_k, sum_type=tl.float32):
    """{name: a call of A, B [K, N] of any strides, and a bias or None}."""
    def call(tm, tn, warps, stages, A, B, bias=None):
        C = empty(m, n, dtype=dtype)
        matmul_kernel[(triton.cdiv(m, tm) * triton.cdiv(n, tn),)](
            A, B, bias, C, m, n, k, B.stride(0), B.stride(1), TM=tm, TN=tn, TK=tile_k,
            WHOLE_K=k % tile_k == 0, SUM=sum_type, GELU=bias is not None, num_warps=warps,
            num_stages=stages)
        return C
    return triton_peers("{} x {}", call, ((128, 256, 8, 3), (128, 128, 4, 4), (64, 64, 4, 4)))

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import BF16, DEVICE, Case, empty, randn, triton_peers, upto

BALANCE = 200  # operations for each byte; with more of them, arithmetic is the limit


@triton.jit
def grouped_kernel(A, B, offsets, C, groups, K, N, TM: tl.constexpr, TN: tl.constexpr,
                   TK: tl.constexpr, WHOLE_K: tl.constexpr):
    """As many programs as fit at once; each takes every so many tiles of all groups, counted on the
    device. Neighbours have the same columns of B."""
    tile = tl.program_id(0)
    before = 0  # tiles of the groups before g
    for g in range(groups):
        begin, end = tl.load(offsets + g), tl.load(offsets + g + 1)
        down = tl.cdiv(end - begin, TM)
        tiles = down * tl.cdiv(N, TN)
        while tile < before + tiles:
            row = begin + (tile - before) % down * TM + tl.arange(0, TM)
            col = (tile - before) // down * TN + tl.arange(0, TN)
            k = tl.arange(0, TK)
            a = A + tl.minimum(row, end - 1).to(tl.int64)[:, None] * K + k[None, :]
            b = B + g.to(tl.int64) * K * N + k[:, None] * N + (col % N)[None, :]
            total = tl.zeros([TM, TN], tl.float32)
            for done in range(0, K, TK):
                if WHOLE_K:
                    total = tl.dot(tl.load(a), tl.load(b), total)
                else:
                    left = tl.load(a, mask=k[None, :] < K - done, other=0)
                    right = tl.load(b, mask=k[:, None] < K - done, other=0)
                    total = tl.dot(left, right, total)
                a += TK
                b += TK * N
            place = C + row.to(tl.int64)[:, None] * N + col[None, :]
            tl.store(place, total.to(tl.bfloat16), mask=(row < end)[:, None] & (col < N)[None, :])
            tile += tl.num_programs(0)
        before += tiles


def draw_offsets(groups, rows):
    """As the problem draws them: in proportion to the cubes of random numbers."""
    upto_group = (1e-6 + torch.rand(groups, device=DEVICE, dtype=torch.float64)**3).cumsum(0)
    ends = (upto_group / upto_group[-1] * rows).long()
    return F.pad(ends, (1, 0)).int()


def case(groups, M, K, N):
    def one_by_one(A, B, offsets):
        """The host waits for the offsets."""
        C = torch.empty(M, N, device=DEVICE, dtype=A.dtype)
        begin = offsets.tolist()
        for g in range(groups):
            if begin[g] < begin[g + 1]:
                rows = slice(begin[g], begin[g + 1])
                torch.mm(A[rows], B[g], out=C[rows])
        return C

    def grouped(A, B, offsets):
        return F.grouped_mm(A, B, offs=offsets[1:])

    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count

    def kernel(tm, tn, warps, stages, A, B, offsets):
        C = empty(M, N, dtype=BF16)
        grouped_kernel[(multiprocessors * (8 // warps),)](
            A, B, offsets, C, groups, K, N, TM=tm, TN=tn, TK=64, WHOLE_K=K % 64 == 0,
            num_warps=warps, num_stages=stages)
        return C
    peers = triton_peers("{} x {}", kernel, ((128, 256, 8, 3), (128, 128, 4, 3), (64, 128, 4, 4),
                                             (16, 128, 4, 4)))
    if K % 8 == 0 and N % 8 == 0:  # grouped_mm takes only rows of multiples of 16 bytes
        peers["PyTorch, grouped_mm"] = grouped
    offsets = draw_offsets(groups, M)
    is_empty = offsets.diff() == 0
    B = torch.empty(groups, K, N, device=DEVICE, dtype=BF16)
    for g in range(groups):
        B[g] = randn(K, N)
    B[is_empty] = torch.nan
    bytes_read = 2 * (M * K + int((~is_empty).sum()) * K * N) + 4 * (groups + 1)
    return Case([randn(M, K, dtype=BF16), B, offsets], [empty(M, N, dtype=BF16)],
                [groups, M, K, N], one_by_one, may_compile=False, peers=peers, tolerance=1e-2,
                bytes_read=bytes_read,
                moves_memory=2 * M * K * N < BALANCE * (bytes_read + 2 * M * N))


def random_size(draw):
    """Rows of A and of B are at multiples of 16 bytes in two of three cases."""
    step = draw.choice((1, 8, 8))
    K, N = (step * upto(draw, 64 // step, 8192 // step) for _ in range(2))
    return upto(draw, 1, max(1, min(256, 2**29 // (K * N)))), upto(draw, 16, 32768), K, N

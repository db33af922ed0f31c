import torch
import triton
import triton.language as tl

from peer_case import Case, empty, randn, triton_peers, upto

MOST_IN_REGISTERS = 128  # rows of a matrix that the Triton kernel takes
MOST_OF_MEMORY = 256  # rows; beyond it, arithmetic is the limit


@triton.jit
def cholesky_kernel(A, L, n, N: tl.constexpr):
    """A program has one matrix in registers, and takes one column after the other from what is to
    the right of it."""
    row, col = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    place = tl.program_id(0).to(tl.int64) * n * n + row * n + col
    inside = (row < n) & (col < n)
    a = tl.load(A + place, mask=inside, other=0)
    for j in range(n):
        pivot = tl.sum(tl.sum(tl.where((row == j) & (col == j), a, 0), 1), 0)
        scale = 1 / tl.sqrt(pivot)
        down = tl.sum(tl.where(col == j, a, 0), 1, keep_dims=True) * scale
        across = tl.sum(tl.where(row == j, a, 0), 0, keep_dims=True) * scale
        a = tl.where((row > j) & (col > j), a - down * across, tl.where(col == j, down, a))
    tl.store(L + place, tl.where(col <= row, a, 0), mask=inside)


def case(batch, n):
    """B B^T / n + I, a different one for each matrix. PyTorch's factor is column-major: the upper
    one, transposed, is row-major as the operator's."""
    def formula(A):
        return torch.linalg.cholesky_ex(A.mT, upper=True)[0].mT

    def kernel(warps, A):
        L = torch.empty_like(A)
        cholesky_kernel[(batch,)](A, L, n, N=triton.next_power_of_2(n), num_warps=warps)
        return L
    B = randn(batch, n, n)
    A = (B @ B.mT) / n
    A = (A + A.mT) / 2  # symmetric to the last bit
    A.diagonal(dim1=1, dim2=2).add_(1)
    warps = [(1,), (2,), (4,)] if n <= 32 else [(4,), (8,), (16,)]
    peers = triton_peers("{} warps", kernel, warps if n <= MOST_IN_REGISTERS else [])
    return Case([A], [empty(batch, n, n)], [batch, n], formula, may_compile=False, peers=peers,
                bytes_read=2 * batch * n * (n + 1), moves_memory=n <= MOST_OF_MEMORY)


def random_size(draw):
    n = upto(draw, 2, 512)
    return upto(draw, 1, min(2**20, 2**26 // (n * n))), n

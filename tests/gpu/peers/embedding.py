import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, Case, below, empty, randn, triton_peers, upto

MORE_SIZES = ["16384x50304x4096 distinct"]


@triton.jit
def embedding_kernel(ids, table, y, dim, CHUNK: tl.constexpr):
    chunks = tl.cdiv(dim, CHUNK)
    token = tl.program_id(0) // chunks
    col = tl.program_id(0) % chunks * CHUNK + tl.arange(0, CHUNK)
    row = tl.load(ids + token).to(tl.int64) * dim
    value = tl.load(table + row + col, mask=col < dim)
    tl.store(y + token.to(tl.int64) * dim + col, value, mask=col < dim)


@triton.jit
def flat_embedding_kernel(ids, table, y, count, dim: tl.constexpr, BLOCK: tl.constexpr):
    """As torch.compile does it: every element finds its token. Positions fit an int."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    row = tl.load(ids + i // dim, mask=inside, other=0) * dim
    tl.store(y + i, tl.load(table + row + i % dim, mask=inside), mask=inside)


def case(n, vocabulary, dim, distinct=False):
    def by_rows(chunk, warps, ids, table):
        y = empty(n, dim)
        grid = (n * triton.cdiv(dim, chunk),)
        embedding_kernel[grid](ids, table, y, dim, CHUNK=chunk, num_warps=warps)
        return y

    def flat(block, warps, ids, table):
        y = empty(n, dim)
        flat_embedding_kernel[(triton.cdiv(n * dim, block),)](ids, table, y, n * dim, dim=dim,
                                                              BLOCK=block, num_warps=warps)
        return y
    whole = triton.next_power_of_2(dim)
    rows = sorted({(min(chunk, whole), warps)
                   for chunk, warps in ((whole, 8), (whole, 4), (2048, 4), (1024, 4), (1024, 8))})
    peers = triton_peers("{} columns, {} warps", by_rows, rows)
    peers |= triton_peers("flat {}, {} warps", flat, ((512, 8), (1024, 4), (1024, 8), (2048, 4)))
    ids = below(vocabulary, n)
    if distinct:
        ids = torch.randperm(vocabulary, device=DEVICE)[:n].int()
    return Case([ids, randn(vocabulary, dim)], [empty(n, dim)], [n, vocabulary, dim],
                lambda ids, table: F.embedding(ids, table), peers=peers, tolerance=0,
                bytes_read=4 * n + 4 * dim * ids.unique().numel())


def random_size(draw):
    return upto(draw, 64, 65536), upto(draw, 1000, 128256), upto(draw, 32, 8192)

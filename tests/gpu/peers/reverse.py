import triton
import triton.language as tl

from peer_case import Case, randn, triton_peers, vector_size


@triton.jit
def reverse_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n // 2
    mirrored = n - 1 - i
    front, back = tl.load(x + i, mask=inside), tl.load(x + mirrored, mask=inside)
    tl.store(x + i, back, mask=inside)
    tl.store(x + mirrored, front, mask=inside)


def case(n):
    def kernel(block, warps, x):
        reverse_kernel[(triton.cdiv(max(n // 2, 1), block),)](x, n, BLOCK=block, num_warps=warps)
        return x
    peers = triton_peers("{} pairs, {} warps", kernel, ((512, 4), (1024, 4), (2048, 8)))
    return Case([randn(n)], [], [n], lambda x: x.copy_(x.flip(0)), in_out=(0,), peers=peers,
                tolerance=0)


random_size = vector_size

import torch

from peer_case import HALF, Case, empty, product_size, randn
from peer_matmul import matmul_peers


def case(m, n, k):
    """alpha is 1 and beta 0, as in the kept times: C is not read."""
    return Case([randn(m, k, dtype=HALF), randn(k, n, dtype=HALF), empty(m, n, dtype=HALF)], [],
                [m, n, k, 1.0, 0.0], lambda A, B, C: torch.mm(A, B, out=C), in_out=(2,),
                peers={name: lambda A, B, C, peer=peer: peer(A, B)
                       for name, peer in matmul_peers(m, n, k, HALF, 64).items()},
                may_compile=False, tolerance=1e-2, moves_memory=False)


random_size = product_size

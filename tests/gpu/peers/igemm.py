import torch
import torch.nn.functional as F
import triton.language as tl

from peer_case import DEVICE, INT, Case, empty, product_size
from peer_matmul import matmul_peers


def padded(x, rows):
    """With zeros, to a multiple of 8 columns and at least `rows` rows."""
    more = (-x.shape[1] % 8, max(0, rows - x.shape[0]))
    return F.pad(x, (0, more[0], 0, more[1])) if any(more) else x


def case(m, n, k):
    draw = lambda rows: torch.randint(-128, 128, (rows, k), device=DEVICE, dtype=torch.int8)

    def formula(A, B):
        """_int_mm takes multiples of 8 columns and more than 16 rows of A."""
        columns = (n + 7) // 8 * 8
        return torch._int_mm(padded(A, 17), padded(B, columns).t())[:m, :n]

    return Case([draw(m), draw(n)], [empty(m, n, dtype=INT)], [m, n, k], formula,
                exact=lambda A, B: A.double() @ B.double().t(),
                peers={name: lambda A, B, peer=peer: peer(A, B.t())
                       for name, peer in matmul_peers(m, n, k, INT, 128, tl.int32).items()},
                may_compile=False, tolerance=0, moves_memory=False)


random_size = product_size

import torch
import torch.nn.functional as F

from peer_case import BF16, Case, empty, product_size, randn
from peer_matmul import matmul_peers


def case(m, n, k):
    B = (randn(k, n) * (2 / k**0.5)).to(BF16)
    tanh = lambda A, B, bias: torch._addmm_activation(bias, A, B, use_gelu=True)  # as cublaslt_tanh
    return Case([randn(m, k, dtype=BF16), B, randn(n, dtype=BF16)], [empty(m, n, dtype=BF16)],
                [m, n, k], lambda A, B, bias: F.gelu(torch.addmm(bias, A, B)),
                peers={"PyTorch, tanh form": tanh, **matmul_peers(m, n, k, BF16, 64)},
                tolerance=1e-2, moves_memory=False)


random_size = product_size

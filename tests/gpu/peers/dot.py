import torch

from peer_case import Case, empty, randn, vector_size


def case(n):
    a = randn(n)  # b is near a, or the result would be small beside its terms
    return Case([a, a + randn(n)], [empty(1)], [n], lambda a, b: torch.dot(a, b).reshape(1),
                compiled=lambda a, b: (a * b).sum().reshape(1))  # torch.dot would go to cuBLAS


random_size = vector_size

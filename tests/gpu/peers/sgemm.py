import torch

from peer_case import Case, empty, product_size, randn


def case(m, n, k):
    return Case([randn(m, k), randn(k, n)], [empty(m, n)], [m, n, k], torch.mm,
                may_compile=False, moves_memory=False)


random_size = product_size

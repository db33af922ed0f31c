import torch

from peer_case import Case, empty, randn, upto


def case(m, k):
    return Case([randn(m, k), randn(k)], [empty(m)], [m, k], torch.mv,
                compiled=lambda a, x: (a * x).sum(1))  # torch.mv would go to cuBLAS


def random_size(draw):
    k = upto(draw, 64, 262144)
    return upto(draw, 16, min(2**28 // k, 2**20)), k

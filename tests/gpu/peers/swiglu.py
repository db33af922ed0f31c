import torch.nn.functional as F

from peer_case import Case, empty, randn, upto


def case(n):
    return Case([randn(n)], [empty(n // 2)], [n], lambda x: F.silu(x[:n // 2]) * x[n // 2:])


def random_size(draw):
    return (2 * upto(draw, 10**4, 10**8),)

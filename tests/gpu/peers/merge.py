import torch

from peer_case import DEVICE, Case, empty, upto


def case(m, n):
    arrays = [torch.rand(count, device=DEVICE).sort().values for count in (m, n)]
    return Case(arrays, [empty(m + n)], [m, n], lambda a, b: torch.cat((a, b)).sort().values,
                may_compile=False, tolerance=0)


def random_size(draw):
    return upto(draw, 10**4, 10**8), upto(draw, 10**4, 10**8)

import torch

from peer_case import DEVICE, INT, Case, empty, upto


def case(n):
    keys = torch.randint(2**31, (n,), device=DEVICE, dtype=INT)  # PyTorch has signed keys
    values = torch.randint(-2**31, 2**31, (n,), device=DEVICE, dtype=torch.int64).int()

    def formula(keys, values):
        in_order, places = keys.sort(stable=True)
        return in_order, values[places]
    return Case([keys, values], [empty(n, dtype=INT), empty(n, dtype=INT)], [n],
                formula, may_compile=False, tolerance=0)


def random_size(draw):
    return (upto(draw, 10**4, 10**8),)

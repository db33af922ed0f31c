import torch

from peer_case import DEVICE, INT, Case, empty, vector_size


def case(n):
    keys = torch.randint(2**31, (n,), device=DEVICE, dtype=INT)  # PyTorch has signed keys
    return Case([keys], [empty(n, dtype=INT)], [n], lambda keys: keys.sort().values,
                may_compile=False, tolerance=0)


random_size = vector_size

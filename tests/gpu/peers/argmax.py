import torch

from peer_case import INT, Case, empty, randn, vector_size


def case(n):
    return Case([randn(n)], [empty(1, dtype=INT)], [n], lambda x: torch.argmax(x).int().reshape(1),
                tolerance=0)  # torch.argmax promises the first of equal ones


random_size = vector_size

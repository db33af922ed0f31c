import torch

from peer_case import DEVICE, Case, empty, upto


def case(rows, cols, k):
    def formula(x):
        values, chosen = x.topk(k)
        return values, chosen.int()

    # Distinct in a row: torch.topk does not say which of two equal ones comes first.
    x = torch.rand(rows, cols, device=DEVICE).argsort(1).float() * (2 / cols) - 1
    return Case([x], [empty(rows, k), empty(rows, k, dtype=torch.int32)], [rows, cols, k], formula,
                may_compile=False, tolerance=0)  # torch.compile would call the same kernels


def random_size(draw):
    rows, cols = upto(draw, 16, 4096), upto(draw, 1000, 131072)
    return rows, cols, upto(draw, 1, 256)

import torch

from peer_case import BF16, DEVICE, INT, Case, below, empty, randn, upto


def case(tokens, dim, experts, k):
    """One result is right: the sort is stable."""
    def formula(x, expert):
        in_order, source = expert.reshape(-1).sort(stable=True)
        offsets = torch.searchsorted(in_order, torch.arange(experts + 1, device=DEVICE, dtype=INT))
        position = torch.empty(tokens * k, device=DEVICE, dtype=INT)
        position[source] = torch.arange(tokens * k, device=DEVICE, dtype=INT)
        return x.index_select(0, source // k), offsets.int(), position.reshape(tokens, k)
    outputs = [empty(tokens * k, dim, dtype=BF16), empty(experts + 1, dtype=INT),
               empty(tokens, k, dtype=INT)]
    return Case([randn(tokens, dim, dtype=BF16), below(experts, tokens * k).reshape(tokens, k)],
                outputs, [tokens, dim, experts, k], formula, tolerance=0)


def random_size(draw):
    k, dim = upto(draw, 1, 16), upto(draw, 64, 8192)
    return upto(draw, 16, min(65536, 2**30 // (k * dim))), dim, upto(draw, 2, 1024), k

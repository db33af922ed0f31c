import torch

from peer_case import INT, Case, empty, randn, vector_size


def case(n):
    """What y holds after its first `count` elements is not compared."""
    def formula(x):
        kept = x[x > 0]
        return kept, torch.full((1,), kept.numel(), device=x.device, dtype=INT)

    def scattered(x):
        """Without waiting for the count. An element that goes is written to place n."""
        kept = x > 0
        place = kept.cumsum(0)
        y = torch.empty(n + 1, device=x.device, dtype=x.dtype)
        y.scatter_(0, torch.where(kept, place - 1, n), x)
        return y, place[-1:].int()
    return Case([randn(n)], [empty(n), empty(1, dtype=INT)], [n], formula, compiled=scattered,
                peers={"PyTorch, cumsum and scatter": scattered}, tolerance=0,
                compared=lambda y, count: (y[:count.item()], count))


random_size = vector_size

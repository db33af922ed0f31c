import torch

from peer_case import Case, empty, randn, upto


def case(tokens, dim):
    def formula(x, cosine, sine):
        rotated = torch.cat((-x[:, dim // 2:], x[:, :dim // 2]), 1)
        return x * cosine + rotated * sine
    return Case([randn(tokens, dim) for _ in range(3)], [empty(tokens, dim)], [tokens, dim],
                formula)


def random_size(draw):
    return upto(draw, 64, 10**6), draw.choice((64, 80, 96, 128, 256))

import torch.nn.functional as F

from peer_case import EPS, Case, empty, randn, upto


def case(n, channels):
    return Case([randn(n, channels), randn(channels), randn(channels)], [empty(n, channels)],
                [n, channels, EPS],
                lambda x, gamma, beta: F.batch_norm(x, None, None, gamma, beta, True, 0.1, EPS))


def random_size(draw):
    channels = upto(draw, 16, 4096)
    return upto(draw, 64, min(2**20, 2**28 // channels)), channels

import torch

from peer_case import INT, Case, distinct_rows, empty, upto


def case(tokens, experts, k):
    def formula(logits):
        values, chosen = logits.topk(k)
        return torch.softmax(values, 1), chosen.int()

    return Case([distinct_rows(tokens, experts) * (8 / experts)],
                [empty(tokens, k), empty(tokens, k, dtype=INT)], [tokens, experts, k], formula)


def random_size(draw):
    experts = upto(draw, 8, 512)
    return upto(draw, 64, 65536), experts, upto(draw, 1, min(experts, 16))

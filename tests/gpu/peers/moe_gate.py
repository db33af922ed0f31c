import torch

from peer_case import DEVICE, Case, empty, upto


def case(tokens, experts, k):
    def formula(logits):
        values, chosen = logits.topk(k)
        return torch.softmax(values, 1), chosen.int()

    # Distinct in a row: torch.topk does not say which of two equal ones comes first.
    logits = torch.rand(tokens, experts, device=DEVICE).argsort(1).float() * (8 / experts)
    return Case([logits], [empty(tokens, k), empty(tokens, k, dtype=torch.int32)],
                [tokens, experts, k], formula)


def random_size(draw):
    experts = upto(draw, 8, 512)
    return upto(draw, 64, 65536), experts, upto(draw, 1, min(experts, 16))

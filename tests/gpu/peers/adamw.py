import torch

from peer_case import DEVICE, Case, randn, upto, vector_size

LR, BETA1, BETA2, ADAM_EPS, DECAY = 1e-3, 0.9, 0.999, 1e-8, 0.01


def case(n, step):
    def formula(parameter, gradient, m, v):
        m.lerp_(gradient, 1 - BETA1)
        v.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
        parameter.mul_(1 - LR * DECAY)
        root = (v / (1 - BETA2**step)).sqrt() + ADAM_EPS
        parameter.addcdiv_(m, root, value=-LR / (1 - BETA1**step))
        return parameter, m, v

    steps = torch.full((1,), float(step), device=DEVICE)

    def fused(parameter, gradient, m, v):
        torch._fused_adamw_([parameter], [gradient], [m], [v], [], [steps], lr=LR, beta1=BETA1,
                            beta2=BETA2, weight_decay=DECAY, eps=ADAM_EPS, amsgrad=False,
                            maximize=False)
        return parameter, m, v
    return Case([randn(n), randn(n), randn(n), randn(n).square()], [],
                [n, LR, BETA1, BETA2, ADAM_EPS, DECAY, step], formula, in_out=(0, 2, 3),
                peers={"PyTorch, fused": fused})


def random_size(draw):
    return *vector_size(draw), upto(draw, 1, 10000)

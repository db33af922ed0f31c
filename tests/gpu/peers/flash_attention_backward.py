import functools

import torch
import torch.nn.functional as F

from peer_attention import by_backends
from peer_case import HALF, Case, empty, randn, upto


def exact_gradients(Q, K, V, O, dO, lse, causal):
    """Head by head: all scores in double would not fit."""
    dQ, dK, dV = (torch.empty_like(Q) for _ in range(3))
    scale = Q.shape[3]**-0.5
    for b in range(Q.shape[0]):
        for h in range(Q.shape[1]):
            q, k, v, o, do = (x[b, h] for x in (Q, K, V, O, dO))
            p = (scale * q @ k.t() - lse[b, h][:, None]).exp_()
            if causal:
                p.tril_()
            ds = p * (do @ v.t() - (do * o).sum(1, keepdim=True))
            dV[b, h] = p.t() @ do
            dQ[b, h] = scale * ds @ k
            dK[b, h] = scale * ds.t() @ q
    return dQ, dK, dV


def case(batch, heads, length, dim, causal):
    shape = batch, heads, length, dim
    Q, K, V, dO = (randn(*shape, dtype=HALF) for _ in range(4))
    O, lse = torch.ops.aten._scaled_dot_product_flash_attention(Q, K, V, 0.0, bool(causal))[:2]
    leaves = [one.detach().requires_grad_() for one in (Q, K, V)]

    def forward():
        return F.scaled_dot_product_attention(*leaves, is_causal=bool(causal))

    @functools.cache
    def result_of(backend):
        return by_backends(forward)[backend]() if backend else forward()

    def gradients(backend, *inputs):  # autograd has kept the inputs
        return torch.autograd.grad(result_of(backend), leaves, dO, retain_graph=True)
    return Case([Q, K, V, O, dO, lse], [empty(*shape, dtype=HALF) for _ in range(3)],
                [*shape, causal], functools.partial(gradients, None), may_compile=False,
                peers={name: functools.partial(gradients, name) for name in by_backends(forward)},
                exact=functools.partial(exact_gradients, causal=causal), tolerance=1e-2,
                moves_memory=False)


def random_size(draw):
    length = upto(draw, 128, 8192)
    return (upto(draw, 1, max(1, min(16, 16384 // length))), upto(draw, 1, 32), length,
            draw.choice((64, 128)), draw.choice((0, 1)))

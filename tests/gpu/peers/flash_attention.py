import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from peer_attention import by_backends, exact_attention
from peer_case import DEVICE, HALF, Case, empty, randn, upto


def case(batch, heads, length, dim, causal):
    shape = batch, heads, length, dim

    def attend(Q, K, V):
        return F.scaled_dot_product_attention(Q, K, V, is_causal=bool(causal))

    def with_flex(compile):
        mask = None  # made beforehand, as for many layers
        if causal:
            mask = create_block_mask(lambda b, h, query, key: query >= key, None, None, length,
                                     length, device=DEVICE)
        compiled = compile(flex_attention)
        return lambda Q, K, V: compiled(Q, K, V, block_mask=mask)
    return Case([randn(*shape, dtype=HALF) for _ in range(3)], [empty(*shape, dtype=HALF)],
                [*shape, causal], attend, peers=by_backends(attend), compile_part=with_flex,
                exact=lambda Q, K, V: exact_attention(Q, K, V, bool(causal)), tolerance=1e-2,
                moves_memory=False)


def random_size(draw):
    length = upto(draw, 128, 16384)
    return (upto(draw, 1, max(1, min(64, 32768 // length))), upto(draw, 1, 32), length,
            draw.choice((64, 128)), draw.choice((0, 1)))

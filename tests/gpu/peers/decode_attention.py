import torch.nn.functional as F
from torch.nn.attention.flex_attention import flex_attention

from peer_attention import by_backends, decode_peers, exact_attention, full_lengths, of_groups
from peer_case import HALF, Case, empty, randn, upto


def case(batch, heads, kv_heads, max_length, dim):
    grouped = of_groups(F.scaled_dot_product_attention)
    exact = of_groups(exact_attention)
    attend = lambda q, k, v, lengths: grouped(q, k, v)

    def repeated(q, k, v, lengths):
        """As a library for any group does it: one query token a head."""
        return F.scaled_dot_product_attention(q[:, :, None], k.transpose(1, 2), v.transpose(1, 2),
                                              enable_gqa=True)[:, :, 0]

    def with_flex(q, k, v, lengths):
        return flex_attention(q[:, :, None], k.transpose(1, 2), v.transpose(1, 2),
                              enable_gqa=True)[:, :, 0]
    peers = {f"{name}, enable_gqa": peer for name, peer in by_backends(repeated, ["flash"]).items()}
    triton_peers = decode_peers(batch, heads, kv_heads, max_length, dim, 0)
    peers |= {name: lambda q, k, v, lengths, peer=peer: peer(q, k, v, None, lengths)
              for name, peer in triton_peers.items()}
    cache = batch, max_length, kv_heads, dim
    return Case([randn(batch, heads, dim, dtype=HALF), randn(*cache, dtype=HALF),
                 randn(*cache, dtype=HALF), full_lengths(batch, max_length)],
                [empty(batch, heads, dim, dtype=HALF)], [batch, heads, kv_heads, max_length, dim],
                attend, exact=lambda q, k, v, lengths: exact(q, k, v), compiled=with_flex,
                peers=by_backends(attend) | peers, tolerance=1e-2)


def random_size(draw):
    batch, kv_heads, dim = upto(draw, 1, 128), draw.choice((1, 2, 4, 8)), draw.choice((64, 128))
    return (batch, kv_heads * draw.choice((1, 2, 4, 8)), kv_heads,
            upto(draw, 256, min(32768, 2**30 // (batch * kv_heads * dim))), dim)

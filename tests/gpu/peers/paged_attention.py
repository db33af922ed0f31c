import torch
import torch.nn.functional as F

from peer_attention import by_backends, decode_peers, exact_attention, full_lengths, of_groups
from peer_case import DEVICE, HALF, Case, empty, randn, upto


def case(batch, heads, kv_heads, dim, page_size, max_pages, pages):
    """The pages are in random order; where there are too few, sequences share them."""
    def after_gather(attend):
        """PyTorch has no kernel that reads pages: they are gathered first."""
        grouped = of_groups(attend)

        def call(q, k_cache, v_cache, table, lengths):
            return grouped(q, k_cache[table].flatten(1, 2), v_cache[table].flatten(1, 2))
        return call

    attend = after_gather(F.scaled_dot_product_attention)
    order = torch.randperm(pages, device=DEVICE)
    table = order[torch.arange(batch * max_pages, device=DEVICE) % pages].int()
    cache = pages, page_size, kv_heads, dim
    used = min(pages, batch * max_pages) * page_size * kv_heads * dim
    return Case([randn(batch, heads, dim, dtype=HALF), randn(*cache, dtype=HALF),
                 randn(*cache, dtype=HALF), table.reshape(batch, max_pages),
                 full_lengths(batch, page_size * max_pages)],
                [empty(batch, heads, dim, dtype=HALF)],
                [batch, heads, kv_heads, dim, page_size, max_pages, pages], attend,
                exact=after_gather(exact_attention),
                peers=by_backends(attend) | decode_peers(batch, heads, kv_heads,
                                                         page_size * max_pages, dim, page_size),
                tolerance=1e-2,
                bytes_read=4 * used + 2 * batch * heads * dim + 4 * batch * (max_pages + 1))


def random_size(draw):
    batch, kv_heads, dim = upto(draw, 1, 128), draw.choice((1, 2, 4, 8)), draw.choice((64, 128))
    page_size = draw.choice((16, 64))
    most = min(8192, 2**30 // (batch * kv_heads * dim * page_size))
    max_pages = upto(draw, 4, most)
    return (batch, kv_heads * draw.choice((1, 2, 4, 8)), kv_heads, dim, page_size, max_pages,
            batch * max_pages)

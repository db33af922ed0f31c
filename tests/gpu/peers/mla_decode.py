import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_attention import BLOCKS, by_backends, full_lengths
from peer_case import BF16, Case, empty, randn, triton_peers, upto

ROW, LATENT = 576, 512
SCALE = 192**-0.5
LOG2_E = 1.4426950408889634


@triton.jit
def part_kernel(q, cache, lengths, parts, tops, totals, heads, max_length, scale,
                HEADS: tl.constexpr, KEYS: tl.constexpr, SPLITS: tl.constexpr):
    """HEADS heads of a sequence and one of SPLITS parts of its rows. `scale` contains log2(e)."""
    groups = tl.cdiv(heads, HEADS)
    b, g = tl.program_id(0) // groups, tl.program_id(0) % groups
    length = tl.load(lengths + b)
    of_part = tl.cdiv(tl.cdiv(length, SPLITS), KEYS) * KEYS
    first = tl.program_id(1) * of_part
    last = min(first + of_part, length)
    head = g * HEADS + tl.arange(0, HEADS)
    exists = head[:, None] < heads
    latent, rotary = tl.arange(0, 512)[None, :], 512 + tl.arange(0, 64)[None, :]
    query = q + (b * heads + head)[:, None] * 576
    q_latent = tl.load(query + latent, mask=exists, other=0)
    q_rotary = tl.load(query + rotary, mask=exists, other=0)
    top = tl.full([HEADS], -float("inf"), tl.float32)
    total = tl.zeros([HEADS], tl.float32)
    out = tl.zeros([HEADS, 512], tl.float32)
    for start in range(first, last, KEYS):
        j = start + tl.arange(0, KEYS)
        inside = j < last
        row = cache + (b.to(tl.int64) * max_length + j)[:, None] * 576
        value = tl.load(row + latent, mask=inside[:, None], other=0)
        position = tl.load(row + rotary, mask=inside[:, None], other=0)
        scores = tl.dot(q_latent, tl.trans(value)) + tl.dot(q_rotary, tl.trans(position))
        scores = tl.where(inside[None, :], scores * scale, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        weight, factor = tl.exp2(scores - higher[:, None]), tl.exp2(top - higher)
        out = out * factor[:, None] + tl.dot(weight.to(tl.bfloat16), value)
        total = total * factor + tl.sum(weight, 1)
        top = higher
    part = (b * heads + head) * SPLITS + tl.program_id(1)
    tl.store(parts + part.to(tl.int64)[:, None] * 512 + latent, out, mask=exists)
    tl.store(tops + part, top, mask=head < heads)
    tl.store(totals + part, total, mask=head < heads)


@triton.jit
def merge_kernel(parts, tops, totals, out, SPLITS: tl.constexpr):
    """One head: program_id(0) is its number in all sequences."""
    part = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    latent = tl.arange(0, 512)
    top = tl.load(tops + part)
    weight = tl.exp2(top - tl.max(top, 0))  # 0 for a part without rows
    total = tl.sum(tl.load(totals + part) * weight, 0)
    value = tl.load(parts + part.to(tl.int64)[:, None] * 512 + latent[None, :])
    result = tl.sum(value * weight[:, None], 0) / total
    tl.store(out + tl.program_id(0) * 512 + latent, result.to(tl.bfloat16))


def in_triton(batch, heads, max_length):
    """{name: a call of q, cache, lengths}."""
    def call(of_block, keys, warps, q, cache, lengths):
        blocks = batch * triton.cdiv(heads, of_block)
        splits = min(triton.next_power_of_2(triton.cdiv(BLOCKS // 2, blocks)),
                     triton.next_power_of_2(triton.cdiv(max_length, 256)), 64)
        parts = empty(batch * heads, splits, LATENT)
        tops, totals = empty(batch * heads, splits), empty(batch * heads, splits)
        out = empty(batch, heads, LATENT, dtype=BF16)
        part_kernel[(blocks, splits)](q, cache, lengths, parts, tops, totals, heads, max_length,
                                      SCALE * LOG2_E, HEADS=of_block, KEYS=keys, SPLITS=splits,
                                      num_warps=warps, num_stages=2)
        merge_kernel[(batch * heads,)](parts, tops, totals, out, SPLITS=splits, num_warps=4)
        return out
    return triton_peers("{} heads, {} keys, {} warps", call,
                        ((16, 32, 4), (16, 64, 4), (32, 32, 8), (64, 32, 8), (64, 64, 8)))


def case(batch, heads, max_length):
    def attend(q, cache, lengths):
        """The heads are the query tokens of the one kv head. All sequences have full length."""
        rows = cache[:, None]
        return F.scaled_dot_product_attention(q[:, None], rows, rows[..., :LATENT],
                                              scale=SCALE)[:, 0]

    def by_products(q, cache, lengths):
        scores = torch.bmm(q, cache.transpose(1, 2)).float() * SCALE
        return torch.bmm(torch.softmax(scores, 2).to(q.dtype), cache[..., :LATENT])

    def exact(q, cache, lengths):
        """Sequence by sequence: all scores in double would not fit."""
        return torch.stack([torch.softmax(q[b] @ cache[b].t() * SCALE, 1) @ cache[b, :, :LATENT]
                            for b in range(batch)])
    peers = by_backends(attend) | {"two products": by_products}
    return Case([randn(batch, heads, ROW, dtype=BF16), randn(batch, max_length, ROW, dtype=BF16),
                 full_lengths(batch, max_length)], [empty(batch, heads, LATENT, dtype=BF16)],
                [batch, heads, max_length, SCALE], attend, exact=exact, compiled=by_products,
                peers=peers | in_triton(batch, heads, max_length), tolerance=2e-2)


def random_size(draw):
    batch, heads = upto(draw, 1, 128), draw.choice((1, 8, 16, 32, 64, 128))
    return batch, heads, upto(draw, 256, min(65536, 2**30 // (batch * ROW)))

"""What the four attention operators share: PyTorch's kernels, attention in double, and a kernel in
Triton for one query token of each sequence. Tensors are [batch, heads, tokens, dim]."""

import functools

import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

from peer_case import DEVICE, HALF, INT, NotTaken, empty, triton_peers

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION}
NONE_TAKES_IT = "No available kernel", "No valid execution plans"
BLOCKS = 4 * 132  # of the Triton kernel: some for each multiprocessor


def by_backends(attend, names=BACKENDS):
    """{name: attend, with one of PyTorch's kernels alone}."""
    def call(backend, *inputs):
        with sdpa_kernel(backend):
            try:
                return attend(*inputs)
            except RuntimeError as failed:
                if any(words in str(failed) for words in NONE_TAKES_IT):
                    raise NotTaken(str(failed)) from failed
                raise
    return {f"PyTorch, {name}": functools.partial(call, BACKENDS[name]) for name in names}


def exact_attention(q, k, v, causal=False):
    """Head by head: all scores in double would not fit."""
    out = torch.empty_like(q)
    group = q.shape[1] // k.shape[1]
    hidden = None
    if causal:
        hidden = torch.ones(q.shape[2], k.shape[2], device=q.device, dtype=torch.bool).triu_(1)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = q[b, h] @ k[b, h // group].t()
            scores *= q.shape[3]**-0.5
            if causal:
                scores.masked_fill_(hidden, -float("inf"))
            out[b, h] = torch.softmax(scores, 1) @ v[b, h // group]
    return out


def of_groups(attend):
    """As a function of q [batch, heads, dim] and keys and values [batch, length, kv_heads, dim].
    All sequences have full length, so the queries of a group are its query tokens."""
    def call(q, k, v):
        batch, heads, dim = q.shape
        kv_heads = k.shape[2]
        queries = q.reshape(batch, kv_heads, heads // kv_heads, dim)
        return attend(queries, k.transpose(1, 2), v.transpose(1, 2)).reshape(batch, heads, dim)
    return call


@triton.jit
def part_kernel(q, k_cache, v_cache, table, lengths, parts, tops, totals, heads, kv_heads,
                max_length, scale, GROUP: tl.constexpr, ROWS: tl.constexpr, DIM: tl.constexpr,
                PAGE: tl.constexpr, KEYS: tl.constexpr, SPLITS: tl.constexpr):
    """Attention of one group to one of SPLITS parts of its sequence. The keys are in pages, or
    (PAGE = 0) in order. `scale` contains log2(e)."""
    b, g = tl.program_id(0) // kv_heads, tl.program_id(0) % kv_heads
    length = tl.load(lengths + b)
    of_part = tl.cdiv(tl.cdiv(length, SPLITS), KEYS) * KEYS
    first = tl.program_id(1) * of_part
    last = min(first + of_part, length)
    row, d = tl.arange(0, ROWS), tl.arange(0, DIM)
    query = tl.load(q + (b * heads + g * GROUP + row)[:, None] * DIM + d[None, :],
                    mask=row[:, None] < GROUP, other=0)
    top = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, DIM], tl.float32)
    for start in range(first, last, KEYS):
        j = start + tl.arange(0, KEYS)
        inside = j < last
        if PAGE:
            page = tl.load(table + b * (max_length // PAGE) + j // PAGE, mask=inside, other=0)
            slot = page.to(tl.int64) * PAGE + j % PAGE
        else:
            slot = b.to(tl.int64) * max_length + j
        place = (slot * kv_heads + g) * DIM
        key = tl.load(k_cache + place[None, :] + d[:, None], mask=inside[None, :], other=0)
        value = tl.load(v_cache + place[:, None] + d[None, :], mask=inside[:, None], other=0)
        scores = tl.where(inside[None, :], tl.dot(query, key) * scale, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        weight, factor = tl.exp2(scores - higher[:, None]), tl.exp2(top - higher)
        out = out * factor[:, None] + tl.dot(weight.to(tl.float16), value)
        total = total * factor + tl.sum(weight, 1)
        top = higher
    part = (tl.program_id(0) * SPLITS + tl.program_id(1)) * ROWS + row
    tl.store(parts + part[:, None] * DIM + d[None, :], out)
    tl.store(tops + part, top)
    tl.store(totals + part, total)


@triton.jit
def merge_kernel(parts, tops, totals, out, GROUP: tl.constexpr, ROWS: tl.constexpr,
                 DIM: tl.constexpr, SPLITS: tl.constexpr):
    """One head: program_id(0) is its number in all sequences."""
    group, row = tl.program_id(0) // GROUP, tl.program_id(0) % GROUP
    part = (group * SPLITS + tl.arange(0, SPLITS)) * ROWS + row
    d = tl.arange(0, DIM)
    top = tl.load(tops + part)
    weight = tl.exp2(top - tl.max(top, 0))  # 0 for a part without keys
    total = tl.sum(tl.load(totals + part) * weight, 0)
    value = tl.load(parts + part[:, None] * DIM + d[None, :])
    result = tl.sum(value * weight[:, None], 0) / total
    tl.store(out + tl.program_id(0) * DIM + d, result.to(tl.float16))


def decode_peers(batch, heads, kv_heads, max_length, dim, page):
    """{name: a call of q, k_cache, v_cache, table (or None), lengths}."""
    group = heads // kv_heads
    rows = max(16, triton.next_power_of_2(group))
    blocks = triton.next_power_of_2(triton.cdiv(BLOCKS, batch * kv_heads))
    splits = min(blocks, triton.next_power_of_2(triton.cdiv(max_length, 256)), 128)

    def call(keys, warps, q, k_cache, v_cache, table, lengths):
        parts = empty(batch * kv_heads, splits, rows, dim)
        tops, totals = empty(batch * kv_heads, splits, rows), empty(batch * kv_heads, splits, rows)
        out = empty(batch, heads, dim, dtype=HALF)
        part_kernel[(batch * kv_heads, splits)](
            q, k_cache, v_cache, table, lengths, parts, tops, totals, heads, kv_heads, max_length,
            dim**-0.5 * 1.4426950408889634, GROUP=group, ROWS=rows, DIM=dim, PAGE=page, KEYS=keys,
            SPLITS=splits, num_warps=warps)
        merge_kernel[(batch * heads,)](parts, tops, totals, out, GROUP=group, ROWS=rows, DIM=dim,
                                       SPLITS=splits, num_warps=4)
        return out
    return triton_peers("{} keys, {} warps", call, ((64, 4), (128, 4), (128, 8)))


def full_lengths(batch, length):
    """As the problem times it: every sequence has all its keys."""
    return torch.full((batch,), length, device=DEVICE, dtype=INT)

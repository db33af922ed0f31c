"""What time_peers.py times: for each operator its tensors at a size, the formula in PyTorch, and
kernels in Triton. The entries' signatures are in exercises/<operator>/."""

import dataclasses
import functools
import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

DEVICE = "cuda"
EPS = 1e-5
BF16, HALF = torch.bfloat16, torch.float16
LR, BETA1, BETA2, ADAM_EPS, DECAY = 1e-3, 0.9, 0.999, 1e-8, 0.01
GROUP = 128  # weights with one scale, in w4a16_gemv

# Besides the sizes of the kept times. "distinct" goes to the operator's function as an argument.
MORE_SIZES = {"embedding": ["16384x50304x4096 distinct"]}


def random_sizes(operator, count):
    """The same sizes in each run. Empty for operators without a rule."""
    draw = random.Random(operator)
    upto = lambda low, high: round(low * (high / low) ** draw.random())  # even on a log scale

    def pooling():
        kernel = draw.choice((2, 3, 3, 5, 7, 9, 13))
        return (upto(1, 16), upto(16, 256), upto(14, 256), upto(14, 256), kernel,
                draw.choice((1, 2)), kernel // 2)

    def resizing():
        return upto(1, 16), upto(3, 64), *(upto(32, 1024) for _ in range(4))

    def layer():
        kernel, size = draw.choice((1, 3, 3, 5)), draw.choice((7, 14, 28, 56))
        return (upto(1, 32), upto(16, 512), size, size, upto(16, 512), kernel, kernel,
                draw.choice((1, 1, 2)), kernel // 2)

    def segments():
        n = upto(10**5, 10**8)
        return n, max(1, n // upto(4, 10**4))

    def rows():
        count, cols = upto(16, 4096), upto(1000, 131072)
        return count, cols, upto(1, 256)
    rules = {"max_pool2d": pooling, "resize_bilinear": resizing, "conv2d_nchw": layer,
             "segmented_sum": segments, "topk_rows": rows, "nms": lambda: (upto(500, 40000),),
             "merge": lambda: (upto(10**4, 10**8), upto(10**4, 10**8)),
             "sort_pairs": lambda: (upto(10**4, 10**8),)}
    return ["x".join(map(str, rules[operator]())) for _ in range(count)] if operator in rules else []


@dataclasses.dataclass
class Case:
    """An operator at one size. The entry takes the inputs, the outputs and the scalars."""
    inputs: list
    outputs: list
    scalars: list
    formula: Callable  # of the inputs, which changes those that are in-out; returns all results
    in_out: tuple = ()  # positions of inputs that are results too, the first ones
    compiled: Callable | None = None  # for torch.compile, where another formula suits it
    may_compile: bool = True
    peers: dict = dataclasses.field(default_factory=dict)  # {name: another formula}
    tolerance: float = 1e-4  # relative to the largest magnitude of a result
    bytes_read: int | None = None  # if not all of the inputs
    moves_memory: bool = True  # memory is the limit

    def results(self):
        return [self.inputs[i] for i in self.in_out] + self.outputs


def randn(*shape, dtype=torch.float32):
    return torch.randn(shape, device=DEVICE).to(dtype)


def empty(*shape, dtype=torch.float32):
    return torch.empty(shape, device=DEVICE, dtype=dtype)


def below(limit, count):
    return torch.randint(limit, (count,), device=DEVICE, dtype=torch.int32)


def tiles(cols):
    """Rows of a program and its warps, for kernels that keep whole rows in registers."""
    if cols <= 512:
        return [(1, 1), (2, 2), (4, 4), (8, 4)]
    return [(1, warps) for warps in ((4, 8, 16) if cols <= 16384 else (16, 32))]


def row_peers(kernel, cols, launch):
    """{name: a call} for each of the tiles, by launch(kernel[grid], options, *inputs)."""
    def call(rows, warps, *inputs):
        options = {"ROWS": rows, "BLOCK": triton.next_power_of_2(cols), "num_warps": warps}
        return launch(kernel[(triton.cdiv(inputs[0].shape[0], rows),)], options, *inputs)
    of_rows = lambda rows: f"{rows} rows, " if rows > 1 else ""
    return {f"Triton, {of_rows(rows)}{warps} warps": functools.partial(call, rows, warps)
            for rows, warps in tiles(cols)}


@triton.jit
def softmax_rows_kernel(x, y, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (col < cols)
    place = row.to(tl.int64) * cols + col
    value = tl.load(x + place, mask=inside, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 1, keep_dims=True))
    tl.store(y + place, value / tl.sum(value, 1, keep_dims=True), mask=inside)


@triton.jit
def layernorm_kernel(x, gamma, beta, y, rows, cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (col < cols)
    place = row.to(tl.int64) * cols + col
    value = tl.load(x + place, mask=inside, other=0)
    mean = tl.sum(value, 1, keep_dims=True) / cols
    centred = tl.where(inside, value - mean, 0)
    scale = tl.rsqrt(tl.sum(centred * centred, 1, keep_dims=True) / cols + eps)
    factor, shift = tl.load(gamma + col, mask=col < cols), tl.load(beta + col, mask=col < cols)
    tl.store(y + place, centred * scale * factor + shift, mask=inside)


@triton.jit
def rmsnorm_kernel(x, residual, weight, y, rows, cols, eps, ROWS: tl.constexpr,
                   BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (col < cols)
    place = row.to(tl.int64) * cols + col
    added = tl.load(x + place, mask=inside, other=0).to(tl.float32)
    total = tl.load(residual + place, mask=inside, other=0).to(tl.float32) + added
    total = total.to(tl.bfloat16)
    tl.store(residual + place, total, mask=inside)
    value = total.to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 1, keep_dims=True) / cols + eps)
    factor = tl.load(weight + col, mask=col < cols).to(tl.float32)
    tl.store(y + place, (value * scale * factor).to(tl.bfloat16), mask=inside)


@triton.jit
def embedding_kernel(ids, table, y, dim, CHUNK: tl.constexpr):
    chunks = tl.cdiv(dim, CHUNK)
    token = tl.program_id(0) // chunks
    col = tl.program_id(0) % chunks * CHUNK + tl.arange(0, CHUNK)
    row = tl.load(ids + token).to(tl.int64) * dim
    value = tl.load(table + row + col, mask=col < dim)
    tl.store(y + token.to(tl.int64) * dim + col, value, mask=col < dim)


@triton.jit
def flat_embedding_kernel(ids, table, y, count, dim: tl.constexpr, BLOCK: tl.constexpr):
    """As torch.compile does it: every element finds its token. Positions fit an int."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    row = tl.load(ids + i // dim, mask=inside, other=0) * dim
    tl.store(y + i, tl.load(table + row + i % dim, mask=inside), mask=inside)


@triton.jit
def cross_entropy_kernel(logits, labels, losses, classes, BLOCK: tl.constexpr):
    row = logits + tl.program_id(0).to(tl.int64) * classes
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, classes, BLOCK):  # BLOCK <= classes, so no maximum stays infinite
        col = first + tl.arange(0, BLOCK)
        value = tl.load(row + col, mask=col < classes, other=-float("inf"))
        higher = tl.maximum(top, value)
        total = total * tl.exp(top - higher) + tl.exp(value - higher)
        top = higher
    most = tl.max(top, 0)
    log_sum = tl.log(tl.sum(total * tl.exp(top - most), 0)) + most
    label = tl.load(labels + tl.program_id(0))
    tl.store(losses + tl.program_id(0), log_sum - tl.load(row + label))


@triton.jit
def w4a16_kernel(W, scale, x, y, words, ROWS: tl.constexpr, WORDS: tl.constexpr):
    """For rows that are multiples of ROWS and words of a row that are multiples of WORDS."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS], tl.float32)
    for first in range(0, words, WORDS):
        word = first + tl.arange(0, WORDS)
        packed = tl.load(W + row[:, None] * words + word[None, :])
        part = tl.zeros([ROWS, WORDS], tl.float32)
        for j in tl.static_range(8):
            weight = ((packed >> (4 * j)) & 15) - 8
            part += weight.to(tl.float32) * tl.load(x + word * 8 + j).to(tl.float32)[None, :]
        of_word = tl.load(scale + row[:, None] * (words // 16) + word[None, :] // 16)
        total += tl.sum(part * of_word.to(tl.float32), 1)
    tl.store(y + row, total.to(tl.float16))


@triton.jit
def max_pool2d_kernel(x, y, outputs, H, W, out_H, out_W, K: tl.constexpr, STRIDE: tl.constexpr,
                      PADDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = i // out_W % out_H * STRIDE - PADDING
    col = i % out_W * STRIDE - PADDING
    plane = x + (i // out_W // out_H).to(tl.int64) * H * W
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    for a in tl.static_range(K):
        for b in tl.static_range(K):
            inside = (row + a >= 0) & (row + a < H) & (col + b >= 0) & (col + b < W) & (i < outputs)
            place = plane + (row + a) * W + col + b
            best = tl.maximum(best, tl.load(place, mask=inside, other=-float("inf")))
    tl.store(y + i, best, mask=i < outputs)


@triton.jit
def taps_of(place, ratio, size):
    at = tl.maximum((place + 0.5) * ratio - 0.5, 0.0)
    low = tl.minimum(at.to(tl.int32), size - 1)
    return low, tl.minimum(low + 1, size - 1), at - low


@triton.jit
def resize_kernel(x, y, H, W, H_out, W_out, ratio_y, ratio_x, ROWS: tl.constexpr,
                  COLS: tl.constexpr):
    """A program makes ROWS x COLS outputs of one plane."""
    across = tl.cdiv(W_out, COLS)
    of_plane = across * tl.cdiv(H_out, ROWS)
    tile = tl.program_id(0) % of_plane
    plane = (tl.program_id(0) // of_plane).to(tl.int64)
    row = tile // across * ROWS + tl.arange(0, ROWS)[:, None]
    col = tile % across * COLS + tl.arange(0, COLS)[None, :]
    inside = (row < H_out) & (col < W_out)
    above, below, down = taps_of(row, ratio_y, H)
    left, right, along = taps_of(col, ratio_x, W)
    source = x + plane * H * W
    upper_left = tl.load(source + above * W + left, mask=inside)
    upper_right = tl.load(source + above * W + right, mask=inside)
    lower_left = tl.load(source + below * W + left, mask=inside)
    lower_right = tl.load(source + below * W + right, mask=inside)
    upper = upper_left + along * (upper_right - upper_left)
    lower = lower_left + along * (lower_right - lower_left)
    tl.store(y + plane * H_out * W_out + row * W_out + col, upper + down * (lower - upper),
             mask=inside)


@triton.jit
def segmented_sum_kernel(x, offsets, y, segments, SEGMENTS: tl.constexpr, STEP: tl.constexpr):
    """A program has SEGMENTS segments and walks along all of them, STEP elements at a time."""
    s = tl.program_id(0) * SEGMENTS + tl.arange(0, SEGMENTS)
    begin = tl.load(offsets + s, mask=s < segments, other=0)
    end = tl.load(offsets + s + 1, mask=s < segments, other=0)
    total = tl.zeros([SEGMENTS, STEP], tl.float32)
    for first in range(0, tl.max(end - begin, 0), STEP):
        i = begin[:, None] + first + tl.arange(0, STEP)[None, :]
        total += tl.load(x + i, mask=i < end[:, None], other=0)
    tl.store(y + s, tl.sum(total, 1), mask=s < segments)


def sgemm(m, n, k):
    return Case([randn(m, k), randn(k, n)], [empty(m, n)], [m, n, k], torch.mm,
                may_compile=False, moves_memory=False)  # torch.compile would call cuBLAS


def sgemv(m, k):
    return Case([randn(m, k), randn(k)], [empty(m)], [m, k], torch.mv,
                compiled=lambda a, x: (a * x).sum(1))  # torch.mv would go to cuBLAS


def transpose(rows, cols):
    return Case([randn(rows, cols)], [empty(cols, rows)], [rows, cols],
                lambda x: x.t().contiguous())


def softmax_rows(rows, cols):
    def launch(kernel, options, x):
        y = torch.empty_like(x)
        kernel(x, y, rows, cols, **options)
        return y
    return Case([randn(rows, cols)], [empty(rows, cols)], [rows, cols],
                lambda x: torch.softmax(x, 1), peers=row_peers(softmax_rows_kernel, cols, launch))


def softmax_backward(rows, cols):
    return Case([torch.softmax(randn(rows, cols), 1), randn(rows, cols)], [empty(rows, cols)],
                [rows, cols],
                lambda y, dy: torch._softmax_backward_data(dy, y, 1, torch.float32),
                compiled=lambda y, dy: y * (dy - (y * dy).sum(1, keepdim=True)))


def elementwise(formula, inputs=1):
    return lambda n: Case([randn(n) for _ in range(inputs)], [empty(n)], [n], formula)


def reduction(formula):
    return lambda n: Case([randn(n)], [empty(1)], [n], lambda x: formula(x).reshape(1))


def swiglu(n):
    return Case([randn(n)], [empty(n // 2)], [n], lambda x: F.silu(x[:n // 2]) * x[n // 2:])


def layernorm(rows, cols):
    def launch(kernel, options, x, gamma, beta):
        y = torch.empty_like(x)
        kernel(x, gamma, beta, y, rows, cols, EPS, **options)
        return y
    return Case([randn(rows, cols), randn(cols), randn(cols)], [empty(rows, cols)],
                [rows, cols, EPS],
                lambda x, gamma, beta: F.layer_norm(x, (cols,), gamma, beta, EPS),
                peers=row_peers(layernorm_kernel, cols, launch))


def layernorm_backward(rows, cols):
    x = randn(rows, cols)
    mean = x.mean(1, keepdim=True)
    inverse = (x.var(1, unbiased=False, keepdim=True) + EPS).rsqrt()  # PyTorch is given both

    def formula(x, gamma, dy):
        return torch.ops.aten.native_layer_norm_backward(dy, x, [cols], mean, inverse, gamma, gamma,
                                                         [True, True, True])

    def compiled(x, gamma, dy):
        xh, g = (x - mean) * inverse, gamma * dy
        dx = (g - g.mean(1, keepdim=True) - xh * (g * xh).mean(1, keepdim=True)) * inverse
        return dx, (dy * xh).sum(0), dy.sum(0)
    return Case([x, randn(cols), randn(rows, cols)],
                [empty(rows, cols), empty(cols), empty(cols)], [rows, cols, EPS], formula,
                compiled=compiled)


def rmsnorm(rows, cols):
    def formula(x, residual, weight):
        residual.add_(x)
        return residual, F.rms_norm(residual, (cols,), weight, EPS)

    def launch(kernel, options, x, residual, weight):
        y = torch.empty_like(x)
        kernel(x, residual, weight, y, rows, cols, EPS, **options)
        return residual, y
    return Case([randn(rows, cols, dtype=BF16), randn(rows, cols, dtype=BF16),
                 randn(cols, dtype=BF16)], [empty(rows, cols, dtype=BF16)], [rows, cols, EPS],
                formula, in_out=(1,), peers=row_peers(rmsnorm_kernel, cols, launch), tolerance=1e-2)


def rope(tokens, dim):
    def formula(x, cosine, sine):
        rotated = torch.cat((-x[:, dim // 2:], x[:, :dim // 2]), 1)
        return x * cosine + rotated * sine
    return Case([randn(tokens, dim) for _ in range(3)], [empty(tokens, dim)], [tokens, dim],
                formula)


def embedding(n, vocabulary, dim, distinct=False):
    def by_rows(chunk, warps, ids, table):
        y = empty(n, dim)
        grid = (n * triton.cdiv(dim, chunk),)
        embedding_kernel[grid](ids, table, y, dim, CHUNK=chunk, num_warps=warps)
        return y

    def flat(block, warps, ids, table):
        y = empty(n, dim)
        flat_embedding_kernel[(triton.cdiv(n * dim, block),)](ids, table, y, n * dim, dim=dim,
                                                              BLOCK=block, num_warps=warps)
        return y
    whole = triton.next_power_of_2(dim)
    rows = sorted({(min(chunk, whole), warps)
                   for chunk, warps in ((whole, 8), (whole, 4), (2048, 4), (1024, 4), (1024, 8))})
    peers = {f"Triton, {chunk} columns, {warps} warps": functools.partial(by_rows, chunk, warps)
             for chunk, warps in rows}
    peers |= {f"Triton, flat {block}, {warps} warps": functools.partial(flat, block, warps)
              for block, warps in ((512, 8), (1024, 4), (1024, 8), (2048, 4))}
    ids = below(vocabulary, n)
    if distinct:
        ids = torch.randperm(vocabulary, device=DEVICE)[:n].int()
    return Case([ids, randn(vocabulary, dim)], [empty(n, dim)], [n, vocabulary, dim],
                lambda ids, table: F.embedding(ids, table), peers=peers, tolerance=0,
                bytes_read=4 * n + 4 * dim * ids.unique().numel())


def cross_entropy(n, classes):
    def kernel(block, warps, logits, labels):
        losses = empty(n)
        cross_entropy_kernel[(n,)](logits, labels, losses, classes, BLOCK=block, num_warps=warps)
        return losses.mean().reshape(1)
    peers = {f"Triton, {block} columns, {warps} warps": functools.partial(kernel, block, warps)
             for block, warps in ((2048, 8), (4096, 8), (4096, 16), (8192, 16))}
    return Case([randn(n, classes), below(classes, n)], [empty(1)], [n, classes],
                lambda logits, labels: F.cross_entropy(logits, labels.long()).reshape(1),
                peers=peers)


def batchnorm(n, channels):
    return Case([randn(n, channels), randn(channels), randn(channels)], [empty(n, channels)],
                [n, channels, EPS],
                lambda x, gamma, beta: F.batch_norm(x, None, None, gamma, beta, True, 0.1, EPS))


def adamw(n, step):
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


def quantize_int8(rows, cols):
    def formula(x):
        top = x.abs().amax(1, keepdim=True)
        scale = torch.where(top == 0, torch.ones_like(top), top / 127)
        return torch.round(x / scale).to(torch.int8), scale.reshape(rows)
    return Case([randn(rows, cols)], [empty(rows, cols, dtype=torch.int8), empty(rows)],
                [rows, cols], formula, tolerance=0.008)  # of 127: either neighbour of a tie


def w4a16_gemv(m, k):
    shifts = torch.arange(0, 32, 4, device=DEVICE, dtype=torch.int32)

    def stored(W):
        return ((W[:, :, None] >> shifts) & 15).reshape(m, k)

    def formula(W, scale, x):
        weights = (stored(W) - 8).reshape(m, k // GROUP, GROUP).to(x.dtype) * scale[:, :, None]
        return (weights * x.reshape(1, k // GROUP, GROUP)).sum((1, 2))

    def kernel(rows, words, warps, W, scale, x):
        y = empty(m, dtype=HALF)
        w4a16_kernel[(m // rows,)](W, scale, x, y, k // 8, ROWS=rows, WORDS=words, num_warps=warps)
        return y
    W = torch.randint(-2**31, 2**31, (m, k // 8), device=DEVICE, dtype=torch.int64).int()
    scale = torch.exp2(4 * torch.rand(m, k // GROUP, device=DEVICE) - 10).to(HALF)
    x = randn(k, dtype=HALF)

    @functools.cache
    def repacked():
        q = stored(W)
        tiles = torch._convert_weight_to_int4pack((q[:, ::2] << 4 | q[:, 1::2]).to(torch.uint8), 8)
        scales = torch.stack((scale, torch.zeros_like(scale)), 2).transpose(0, 1)
        return x.reshape(1, k).to(BF16), tiles, GROUP, scales.to(BF16).contiguous()

    peers = {f"Triton, {rows} x {words} words, {warps} warps":
             functools.partial(kernel, rows, words, warps)
             for rows, words, warps in ((1, 512, 4), (4, 128, 4), (8, 128, 4), (16, 64, 4))}
    peers["PyTorch int4 (bf16, repacked beforehand)"] = \
        lambda *_: torch._weight_int4pack_mm(*repacked()).reshape(m)
    return Case([W, scale, x], [empty(m, dtype=HALF)], [m, k], formula, peers=peers, tolerance=1e-2)


def moe_gate(tokens, experts, k):
    def formula(logits):
        values, chosen = logits.topk(k)
        return torch.softmax(values, 1), chosen.int()

    # Distinct in a row: torch.topk does not say which of two equal ones comes first.
    logits = torch.rand(tokens, experts, device=DEVICE).argsort(1).float() * (8 / experts)
    return Case([logits], [empty(tokens, k), empty(tokens, k, dtype=torch.int32)],
                [tokens, experts, k], formula)


def segmented_sum(n, segments):
    """Equal lengths where they come out even, otherwise a power law, as the problem draws them."""
    if n % segments == 0:
        offsets = torch.arange(segments + 1, device=DEVICE) * (n // segments)
    else:
        weights = torch.arange(1, segments + 1, device=DEVICE, dtype=torch.float64) ** -0.75
        lengths = (weights / weights.sum() * n).long()
        lengths[0] += n - lengths.sum()
        offsets = F.pad(lengths[torch.randperm(segments, device=DEVICE)].cumsum(0), (1, 0))
    def kernel(count, step, x, offsets):
        y = empty(segments)
        segmented_sum_kernel[(triton.cdiv(segments, count),)](x, offsets, y, segments,
                                                              SEGMENTS=count, STEP=step)
        return y
    peers = {f"Triton, {count} segments, {step} elements": functools.partial(kernel, count, step)
             for count, step in ((64, 16), (128, 16), (32, 32), (1, 1024))}
    return Case([randn(n), offsets.int()], [empty(segments)], [n, segments],
                lambda x, offsets: torch.segment_reduce(x, "sum", offsets=offsets, initial=0),
                may_compile=False, peers=peers)  # torch.compile would call the same kernels


def kept_boxes(boxes, threshold):
    """As int32, in PyTorch alone. A box stays unless an earlier one that stays overlaps it: tried
    until nothing changes."""
    n = boxes.shape[0]
    left, top, right, bottom = boxes.unbind(1)
    area = (right - left) * (bottom - top)
    removes = torch.empty(n, n, device=DEVICE, dtype=HALF)
    for first in range(0, n, 4096):
        of = slice(first, first + 4096)
        both = lambda low, high: (torch.minimum(high[of, None], high)
                                  - torch.maximum(low[of, None], low)).clamp_(min=0)
        inter = both(left, right) * both(top, bottom)
        removes[of] = inter > threshold * (area[of, None] + area - inter)
    removes.triu_(1)
    keep = torch.ones(n, device=DEVICE, dtype=HALF)
    while True:
        after = (keep @ removes == 0).to(HALF)
        if torch.equal(after, keep):
            return keep.int()
        keep = after


def nms(n):
    """Eight boxes around each object, of whole numbers: no division rounds a tie apart."""
    def library(boxes):
        from torchvision.ops import nms as kept_places

        scores = torch.arange(n, 0, -1, device=DEVICE).to(boxes.dtype)
        keep = torch.zeros(n, device=DEVICE, dtype=torch.int32)
        keep[kept_places(boxes, scores, 0.5)] = 1
        return keep

    corner = torch.randint(4000, (n // 8 + 1, 2), device=DEVICE).repeat(8, 1)[:n]
    corner = corner[torch.randperm(corner.shape[0], device=DEVICE)]
    moved = torch.randint(-15, 16, (corner.shape[0], 4), device=DEVICE)
    boxes = (torch.cat((corner, corner + 60), 1) + moved).float()
    return Case([boxes], [empty(n, dtype=torch.int32)], [n, 0.5],
                lambda boxes: kept_boxes(boxes, 0.5), may_compile=False,
                peers={"torchvision": library}, tolerance=0, moves_memory=False)


def max_pool2d(n, c, h, w, kernel_size, stride, padding):
    pooled = lambda size: (size + 2 * padding - kernel_size) // stride + 1
    formula = lambda x: F.max_pool2d(x, kernel_size, stride, padding)

    def kernel(block, warps, x):
        y = empty(n, c, pooled(h), pooled(w))
        max_pool2d_kernel[(triton.cdiv(y.numel(), block),)](
            x, y, y.numel(), h, w, pooled(h), pooled(w), K=kernel_size, STRIDE=stride,
            PADDING=padding, BLOCK=block, num_warps=warps)
        return y
    peers = {f"Triton, {block} outputs, {warps} warps": functools.partial(kernel, block, warps)
             for block, warps in ((256, 4), (512, 4), (1024, 8))}
    return Case([randn(n, c, h, w)], [empty(n, c, pooled(h), pooled(w))],
                [n, c, h, w, kernel_size, stride, padding], formula, tolerance=0, peers=peers)


def topk_rows(rows, cols, k):
    def formula(x):
        values, chosen = x.topk(k)
        return values, chosen.int()

    # Distinct in a row: torch.topk does not say which of two equal ones comes first.
    x = torch.rand(rows, cols, device=DEVICE).argsort(1).float() * (2 / cols) - 1
    return Case([x], [empty(rows, k), empty(rows, k, dtype=torch.int32)], [rows, cols, k], formula,
                may_compile=False, tolerance=0)  # torch.compile would call the same kernels


def resize_bilinear(n, c, h, w, h_out, w_out):
    formula = lambda x: F.interpolate(x, (h_out, w_out), mode="bilinear", align_corners=False)

    def kernel(rows, cols, x):
        y = empty(n, c, h_out, w_out)
        grid = (n * c * triton.cdiv(h_out, rows) * triton.cdiv(w_out, cols),)
        resize_kernel[grid](x, y, h, w, h_out, w_out, h / h_out, w / w_out, ROWS=rows, COLS=cols)
        return y
    peers = {f"Triton, {rows} x {cols} outputs": functools.partial(kernel, rows, cols)
             for rows, cols in ((1, 1024), (4, 256), (8, 128))}
    return Case([randn(n, c, h, w)], [empty(n, c, h_out, w_out)], [n, c, h, w, h_out, w_out],
                formula, peers=peers)


def merge(m, n):
    arrays = [torch.rand(count, device=DEVICE).sort().values for count in (m, n)]
    return Case(arrays, [empty(m + n)], [m, n], lambda a, b: torch.cat((a, b)).sort().values,
                may_compile=False, tolerance=0)  # torch.compile would call the same kernels


def sort_pairs(n):
    keys = torch.randint(2**31, (n,), device=DEVICE, dtype=torch.int32)  # PyTorch has signed keys
    values = torch.randint(-2**31, 2**31, (n,), device=DEVICE, dtype=torch.int64).int()

    def formula(keys, values):
        in_order, places = keys.sort(stable=True)
        return in_order, values[places]
    return Case([keys, values], [empty(n, dtype=torch.int32), empty(n, dtype=torch.int32)], [n],
                formula, may_compile=False, tolerance=0)  # torch.compile would call the same kernels


def conv2d_nchw(batch, in_channels, height, width, out_channels, rows, cols, stride, padding):
    x = randn(batch, in_channels, height, width)
    weight = randn(out_channels, in_channels, rows, cols)
    places = [(size + 2 * padding - kernel) // stride + 1
              for size, kernel in ((height, rows), (width, cols))]
    return Case([x, weight, randn(out_channels)], [empty(batch, out_channels, *places)],
                [batch, in_channels, height, width, out_channels, rows, cols, stride, padding],
                lambda x, weight, bias: F.conv2d(x, weight, bias, stride, padding),
                may_compile=False, moves_memory=False)  # torch.compile would call cuDNN


CASES = {
    "sgemm": sgemm, "sgemv": sgemv, "transpose": transpose,
    "reduce_sum": reduction(torch.sum),
    "softmax": elementwise(lambda x: torch.softmax(x, 0)),
    "softmax_rows": softmax_rows,
    "softmax_backward": softmax_backward,
    "add": elementwise(torch.add, 2),
    "relu": elementwise(torch.relu),
    "sigmoid": elementwise(torch.sigmoid),
    "reduce_max": reduction(torch.amax),
    "gelu": elementwise(lambda x: F.gelu(x)),
    "swiglu": swiglu, "layernorm": layernorm, "layernorm_backward": layernorm_backward,
    "rmsnorm": rmsnorm, "rope": rope,
    "embedding": embedding, "cross_entropy": cross_entropy, "batchnorm": batchnorm, "adamw": adamw,
    "quantize_int8": quantize_int8, "w4a16_gemv": w4a16_gemv, "moe_gate": moe_gate,
    "segmented_sum": segmented_sum,
    "nms": nms,
    "max_pool2d": max_pool2d,
    "topk_rows": topk_rows,
    "resize_bilinear": resize_bilinear,
    "merge": merge,
    "sort_pairs": sort_pairs,
    "conv2d_nchw": conv2d_nchw,
}

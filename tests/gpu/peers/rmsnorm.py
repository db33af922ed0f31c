import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import EPS, BF16, Case, empty, matrix_size, randn, row_peers


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


def case(rows, cols):
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


random_size = matrix_size

import torch
import triton
import triton.language as tl

from peer_case import DEVICE, Case, empty, randn, triton_peers, upto

LEAST, MOST = 16, 64  # sides of the Triton kernels' matrices


def roots(rows, cols, n):
    """The parts of exp(-2 pi i r c / n): two [rows, cols] floats."""
    turns = torch.arange(rows, device=DEVICE)[:, None] * torch.arange(cols, device=DEVICE) % n
    angle = turns.double() * (-2 * torch.pi / n)
    return angle.cos().float(), angle.sin().float()


@triton.jit
def times(a_re, a_im, b_re, b_im, PRECISION: tl.constexpr):
    re = tl.dot(a_re, b_re, input_precision=PRECISION) \
        - tl.dot(a_im, b_im, input_precision=PRECISION)
    im = tl.dot(a_re, b_im, input_precision=PRECISION) \
        + tl.dot(a_im, b_re, input_precision=PRECISION)
    return re, im


@triton.jit
def short_kernel(x, X, root_re, root_im, batch, N: tl.constexpr, ROWS: tl.constexpr,
                 PRECISION: tl.constexpr):
    """A program has ROWS signals, and multiplies them by the matrix of all roots."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    k = tl.arange(0, N)
    place = (row.to(tl.int64) * N + k[None, :]) * 2
    root = k[:, None] * N + k[None, :]
    re = tl.load(x + place, mask=row < batch, other=0)
    im = tl.load(x + place + 1, mask=row < batch, other=0)
    re, im = times(re, im, tl.load(root_re + root), tl.load(root_im + root), PRECISION)
    tl.store(X + place, re, mask=row < batch)
    tl.store(X + place + 1, im, mask=row < batch)


@triton.jit
def square_kernel(x, X, down_re, down_im, turn_re, turn_im, across_re, across_im,
                  DOWN: tl.constexpr, ACROSS: tl.constexpr, PRECISION: tl.constexpr):
    """A program has one signal, as a matrix [DOWN, ACROSS]: transforms its columns, multiplies each
    element by a root, and transforms its rows."""
    row, col = tl.arange(0, DOWN), tl.arange(0, ACROSS)
    first = tl.program_id(0).to(tl.int64) * (2 * DOWN * ACROSS)
    of_signal = row[:, None] * ACROSS + col[None, :]
    of_down, of_across = row[:, None] * DOWN + row[None, :], col[:, None] * ACROSS + col[None, :]
    re, im = tl.load(x + first + 2 * of_signal), tl.load(x + first + 2 * of_signal + 1)
    re, im = times(tl.load(down_re + of_down), tl.load(down_im + of_down), re, im, PRECISION)
    c, s = tl.load(turn_re + of_signal), tl.load(turn_im + of_signal)
    turned_re, turned_im = re * c - im * s, re * s + im * c
    re, im = times(turned_re, turned_im, tl.load(across_re + of_across),
                   tl.load(across_im + of_across), PRECISION)
    to = X + first + 2 * (row[:, None] + col[None, :] * DOWN)
    tl.store(to, re)
    tl.store(to + 1, im)


def matrix_peers(n, batch):
    """By products of matrices on tensor cores, in three parts of TF32 each; the roots are made
    beforehand, as in a plan."""
    if n < LEAST or n > MOST * MOST or MOST < n < LEAST * LEAST:
        return {}
    if n <= MOST:
        all_roots = roots(n, n, n)

        def short(rows, warps, x):
            X = torch.empty_like(x)
            short_kernel[(triton.cdiv(batch, rows),)](x, X, *all_roots, batch, N=n, ROWS=rows,
                                                      PRECISION="tf32x3", num_warps=warps)
            return X
        return triton_peers("{} signals, {} warps", short, ((64, 4), (128, 4), (128, 8)))
    down = 1 << (n.bit_length() - 1) // 2
    across = n // down
    tables = [*roots(down, down, down), *roots(down, across, n), *roots(across, across, across)]

    def square(warps, x):
        X = torch.empty_like(x)
        square_kernel[(batch,)](x, X, *tables, DOWN=down, ACROSS=across, PRECISION="tf32x3",
                                num_warps=warps)
        return X
    return triton_peers("{} warps", square, ((4,), (8,)))


def case(n, batch):
    """`out=` is not used: PyTorch would copy the result once more."""
    def formula(x):
        return torch.view_as_real(torch.fft.fft(torch.view_as_complex(x)))
    return Case([randn(batch, n, 2)], [empty(batch, n, 2)], [n, batch], formula,
                may_compile=False, peers=matrix_peers(n, batch))


def random_size(draw):
    n = 2 ** draw.randint(1, 20)
    return n, upto(draw, 1, min(2**24, 2**27 // n))

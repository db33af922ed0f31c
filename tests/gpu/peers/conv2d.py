import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import FEW_TAPS, MANY_TAPS, MOST_UNFOLDED, Case, empty, randn, triton_peers, upto


@triton.jit
def conv2d_kernel(x, w, y, rows, cols, kernel_rows, kernel_cols, ROWS: tl.constexpr,
                  COLS: tl.constexpr):
    """A program makes ROWS x COLS outputs."""
    height, width = rows - kernel_rows + 1, cols - kernel_cols + 1
    across = tl.cdiv(width, COLS)
    row = tl.program_id(0) // across * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.program_id(0) % across * COLS + tl.arange(0, COLS)[None, :]
    total = tl.zeros([ROWS, COLS], tl.float32)
    inside = (row < height) & (col < width)
    for a in range(kernel_rows):
        for b in range(kernel_cols):
            value = tl.load(x + (row + a) * cols + col + b, mask=inside, other=0)
            total += value * tl.load(w + a * kernel_cols + b)
    tl.store(y + row * width + col, total, mask=inside)


def case(rows, cols, kernel_rows, kernel_cols):
    height, width = rows - kernel_rows + 1, cols - kernel_cols + 1
    taps = kernel_rows * kernel_cols

    def by_fft(x, w):
        """What wraps around lands outside the outputs. Sizes are rounded up to good ones."""
        sizes = [(size + 63) // 64 * 64 for size in (rows, cols)]
        spectrum = torch.fft.rfft2(x, sizes) * torch.fft.rfft2(w, sizes).conj()
        return torch.fft.irfft2(spectrum, sizes)[:height, :width]

    def kernel(of_rows, of_cols, x, w):
        y = empty(height, width)
        grid = (triton.cdiv(height, of_rows) * triton.cdiv(width, of_cols),)
        conv2d_kernel[grid](x, w, y, rows, cols, kernel_rows, kernel_cols, ROWS=of_rows,
                            COLS=of_cols)
        return y
    peers = triton_peers("{} x {} outputs", kernel, ((1, 1024), (8, 64), (16, 128)))
    if taps > FEW_TAPS:
        peers["PyTorch, FFT"] = by_fft
    return Case([randn(rows, cols), randn(kernel_rows, kernel_cols)], [empty(height, width)],
                [rows, cols, kernel_rows, kernel_cols],
                lambda x, w: F.conv2d(x[None, None], w[None, None])[0, 0], exact=by_fft,
                compiled=lambda x, w: (x.unfold(0, kernel_rows, 1).unfold(1, kernel_cols, 1)
                                       * w).sum((2, 3)),
                may_compile=taps <= MOST_UNFOLDED, peers=peers, moves_memory=taps < MANY_TAPS)


def random_size(draw):
    kernel = draw.choice((1, 2, 3, 3, 5, 5, 7, 9, 11, 15, 21, 31))
    return upto(draw, 64, 8192), upto(draw, 64, 8192), kernel, draw.choice((kernel, kernel, 3))

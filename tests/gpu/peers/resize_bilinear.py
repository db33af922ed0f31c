import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import Case, empty, randn, triton_peers, upto


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


def case(n, c, h, w, h_out, w_out):
    formula = lambda x: F.interpolate(x, (h_out, w_out), mode="bilinear", align_corners=False)

    def kernel(rows, cols, x):
        y = empty(n, c, h_out, w_out)
        grid = (n * c * triton.cdiv(h_out, rows) * triton.cdiv(w_out, cols),)
        resize_kernel[grid](x, y, h, w, h_out, w_out, h / h_out, w / w_out, ROWS=rows, COLS=cols)
        return y
    peers = triton_peers("{} x {} outputs", kernel, ((1, 1024), (4, 256), (8, 128)))
    return Case([randn(n, c, h, w)], [empty(n, c, h_out, w_out)], [n, c, h, w, h_out, w_out],
                formula, peers=peers)


def random_size(draw):
    return upto(draw, 1, 16), upto(draw, 3, 64), *(upto(draw, 32, 1024) for _ in range(4))

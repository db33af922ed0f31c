import torch

from peer_case import EPS, Case, empty, matrix_size, randn


def case(rows, cols):
    x = randn(rows, cols)
    mean = x.mean(1, keepdim=True)
    inverse = (x.var(1, unbiased=False, keepdim=True) + EPS).rsqrt()  # PyTorch is given both

    def formula(x, gamma, dy):
        return torch.ops.aten.native_layer_norm_backward(
            dy, x, [cols], mean.to(x.dtype), inverse.to(x.dtype), gamma, gamma, [True] * 3)

    def compiled(x, gamma, dy):
        xh, g = (x - mean) * inverse, gamma * dy
        dx = (g - g.mean(1, keepdim=True) - xh * (g * xh).mean(1, keepdim=True)) * inverse
        return dx, (dy * xh).sum(0), dy.sum(0)
    return Case([x, randn(cols), randn(rows, cols)],
                [empty(rows, cols), empty(cols), empty(cols)], [rows, cols, EPS], formula,
                compiled=compiled)


random_size = matrix_size

import torch.nn.functional as F

from peer_case import Case, empty, randn, upto


def case(batch, in_channels, height, width, out_channels, rows, cols, stride, padding):
    x = randn(batch, in_channels, height, width)
    weight = randn(out_channels, in_channels, rows, cols)
    places = [(size + 2 * padding - kernel) // stride + 1
              for size, kernel in ((height, rows), (width, cols))]
    return Case([x, weight, randn(out_channels)], [empty(batch, out_channels, *places)],
                [batch, in_channels, height, width, out_channels, rows, cols, stride, padding],
                lambda x, weight, bias: F.conv2d(x, weight, bias, stride, padding),
                may_compile=False, moves_memory=False)


def random_size(draw):
    kernel, size = draw.choice((1, 3, 3, 5)), draw.choice((7, 14, 28, 56))
    return (upto(draw, 1, 32), upto(draw, 16, 512), size, size, upto(draw, 16, 512), kernel, kernel,
            draw.choice((1, 1, 2)), kernel // 2)

import torch
import triton
import triton.language as tl

from peer_case import DEVICE, Case, empty, triton_peers, upto


@triton.jit
def gray_kernel(rgb, gray, pixels, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < pixels
    place = rgb + 3 * i.to(tl.int64)
    red = tl.load(place, mask=inside).to(tl.int32)
    green = tl.load(place + 1, mask=inside).to(tl.int32)
    blue = tl.load(place + 2, mask=inside).to(tl.int32)
    tl.store(gray + i, ((77 * red + 150 * green + 29 * blue + 128) >> 8).to(tl.uint8), mask=inside)


def case(width, height):
    def formula(rgb):
        red, green, blue = rgb.int().unbind(2)
        return ((77 * red + 150 * green + 29 * blue + 128) >> 8).to(torch.uint8)

    def kernel(block, warps, rgb):
        gray = empty(height, width, dtype=torch.uint8)
        gray_kernel[(triton.cdiv(width * height, block),)](rgb, gray, width * height, BLOCK=block,
                                                           num_warps=warps)
        return gray
    peers = triton_peers("{} pixels, {} warps", kernel, ((512, 4), (1024, 4), (2048, 8)))
    rgb = torch.randint(256, (height, width, 3), device=DEVICE, dtype=torch.uint8)
    return Case([rgb], [empty(height, width, dtype=torch.uint8)], [width, height], formula,
                peers=peers, tolerance=0)


def random_size(draw):
    return upto(draw, 32, 16384), upto(draw, 32, 16384)

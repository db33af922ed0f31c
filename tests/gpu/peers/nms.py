import torch

from peer_case import DEVICE, HALF, INT, Case, empty, upto


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


def case(n):
    """Eight boxes around each object, of whole numbers: no division rounds a tie apart."""
    def library(boxes):
        from torchvision.ops import nms as kept_places

        scores = torch.arange(n, 0, -1, device=DEVICE).to(boxes.dtype)
        keep = torch.zeros(n, device=DEVICE, dtype=INT)
        keep[kept_places(boxes, scores, 0.5)] = 1
        return keep

    corner = torch.randint(4000, (n // 8 + 1, 2), device=DEVICE).repeat(8, 1)[:n]
    corner = corner[torch.randperm(corner.shape[0], device=DEVICE)]
    moved = torch.randint(-15, 16, (corner.shape[0], 4), device=DEVICE)
    boxes = (torch.cat((corner, corner + 60), 1) + moved).float()
    return Case([boxes], [empty(n, dtype=INT)], [n, 0.5],
                lambda boxes: kept_boxes(boxes, 0.5), may_compile=False,
                peers={"torchvision": library}, tolerance=0, moves_memory=False)


def random_size(draw):
    return (upto(draw, 500, 40000),)

import functools

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, INT, Case, empty, triton_peers, upto

BLIND_LEVELS = 8  # of the Triton form, before the host asks whether to go on


@triton.jit(do_not_specialize=["level"])
def level_kernel(row_start, col, distance, last, level, vertices, ROWS: tl.constexpr,
                 STEP: tl.constexpr):
    """A program has ROWS vertices. Those without a distance look for a neighbour of the level
    before, STEP of them at a time. `last` becomes `level` if any was found."""
    v = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    is_open = tl.load(distance + v, mask=v < vertices, other=0) < 0
    begin = tl.load(row_start + v, mask=is_open, other=0)
    end = tl.load(row_start + v + 1, mask=is_open, other=0)
    found = tl.zeros([ROWS], tl.int32)
    done = 0
    while done < tl.max(end - begin, 0):
        i = begin[:, None] + done + tl.arange(0, STEP)[None, :]
        inside = i < end[:, None]
        at = tl.load(col + i, mask=inside, other=0)
        near = inside & (tl.load(distance + at, mask=inside, other=-1) == level - 1)
        found = tl.maximum(found, tl.max(near.to(tl.int32), 1))
        end = tl.where(found > 0, begin, end)
        done += STEP
    tl.store(distance + v, tl.zeros([ROWS], tl.int32) + level, mask=found > 0)
    tl.store(last, level, mask=tl.max(found, 0) > 0)


def ends_of(vertices, edges):
    """[2, edges / 2]: the ranks that the edges join, as the problem draws them, and whether ranks
    are vertices. A path, a square grid, a power law, or else without a pattern."""
    i, side = torch.arange(edges // 2, device=DEVICE), round(vertices**0.5)
    if vertices % 2 == 0 and edges == 2 * (vertices - 1):
        return torch.stack((i, i + 1)), True
    if side > 1 and side * side == vertices and edges == 4 * side * (side - 1):
        vertex = torch.arange(vertices, device=DEVICE).view(side, side)
        across = torch.stack((vertex[:, :-1].flatten(), vertex[:, 1:].flatten()))
        down = torch.stack((vertex[:-1].flatten(), vertex[1:].flatten()))
        return torch.cat((across, down), 1), True
    place = torch.rand(2, edges // 2, device=DEVICE, dtype=torch.float64)
    if edges % 8 == 0:
        place = 0.75 * place**3
    return (vertices * place).long(), False


def draw_graph(vertices, edges, source):
    """row_start and col. The source has an edge, if there is any; an odd entry is its loop."""
    ends, is_ordered = ends_of(vertices, edges)
    if not is_ordered:
        label = torch.randperm(vertices, device=DEVICE)
        if edges > 1:  # swaps two labels
            label[label == source] = label[ends[0, 0]].clone()
            label[ends[0, 0]] = source
        ends = label[ends]
    loop = torch.full((edges % 2,), source, device=DEVICE)
    key = torch.cat((ends[0] * vertices + ends[1], ends[1] * vertices + ends[0],
                     loop * vertices + loop)).sort()[0]
    degree = torch.bincount(key // vertices, minlength=vertices)
    return F.pad(degree.cumsum(0), (1, 0)).int(), (key % vertices).int()


def case(vertices, edges, source):
    def start():
        distance = torch.full((vertices,), -1, device=DEVICE, dtype=INT)
        distance[source] = 0
        return distance

    def queued(row_start, col):
        """The edges of each level in a list of their own; the host waits for its length."""
        distance, frontier, level = start(), torch.tensor([source], device=DEVICE), 0
        while frontier.numel():
            level += 1
            begin = row_start[frontier]
            degree = row_start[frontier + 1] - begin
            before = degree.cumsum(0) - degree
            first = torch.repeat_interleave(begin - before, degree)
            near = col[first + torch.arange(first.numel(), device=DEVICE)]
            distance[near[distance[near] < 0]] = level
            frontier = (distance == level).nonzero()[:, 0]
        return distance

    def next_level(distance, row, col, level):
        """Where the edges of the level before lead; all others lead to no vertex's place."""
        to = torch.where(distance[row] == level - 1, col, vertices)
        is_near = torch.zeros(vertices + 1, device=DEVICE, dtype=torch.bool)
        is_near = is_near.scatter(0, to.long(), True)[:vertices]
        is_new = is_near & (distance < 0)
        return torch.where(is_new, level, distance), is_new.any()

    def masked(row_start, col, step=next_level):
        """Every level reads all edges."""
        row = torch.repeat_interleave(row_start.diff())
        distance, level, found = start(), torch.zeros((), device=DEVICE, dtype=INT), True
        while found:
            level = level + 1
            distance, found = step(distance, row, col, level)
        return distance

    def by_products(row_start, col):
        """A level is the product of the matrix and the vector of the level before."""
        ones = torch.ones(edges, device=DEVICE)
        matrix = torch.sparse_csr_tensor(row_start, col, ones, (vertices, vertices),
                                         check_invariants=False)
        distance, level = start(), 0
        frontier = distance == 0
        while frontier.any():
            level += 1
            frontier = (torch.mv(matrix, frontier.float()) > 0) & (distance < 0)
            distance = torch.where(frontier, level, distance)
        return distance

    def kernel(rows, step, row_start, col):
        distance, last, level = start(), torch.zeros(1, device=DEVICE, dtype=INT), 0
        while last.item() == level:
            for _ in range(BLIND_LEVELS):
                level += 1
                level_kernel[(triton.cdiv(vertices, rows),)](row_start, col, distance, last, level,
                                                             vertices, ROWS=rows, STEP=step)
        return distance
    is_path = edges == 2 * (vertices - 1)  # a level takes 0.1 ms, and there are as many as vertices
    shapes = ((64, 16),) if is_path else ((64, 16), (32, 32), (128, 4))
    peers = triton_peers("{} rows, {} entries", kernel, shapes)
    if not is_path:
        peers |= {"PyTorch, lists of edges": queued, "PyTorch, sparse products": by_products}
    return Case([*draw_graph(vertices, edges, source)], [empty(vertices, dtype=INT)],
                [vertices, edges, source], masked, exact=queued,
                compile_part=lambda compile: functools.partial(masked, step=compile(next_level)),
                may_compile=not is_path, peers=peers, tolerance=0)


def random_size(draw):
    """Power laws, and edges without a pattern."""
    vertices = upto(draw, 1000, 2**22)
    edges = vertices * upto(draw, 2, min(64, 2**26 // vertices)) // 8 * 8 + draw.choice((0, 1))
    return vertices, edges, draw.randrange(vertices)

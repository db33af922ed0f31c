import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, Case, empty, randn, triton_peers, upto

CENTER, NEIGHBOR = 0.4, 0.1


@triton.jit
def step_kernel(old, new, depth, rows, cols, center, neighbor, ROWS: tl.constexpr,
                COLS: tl.constexpr):
    """One step of ROWS x COLS cells of a plane."""
    z = tl.program_id(2)
    y = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    x = tl.program_id(0) * COLS + tl.arange(0, COLS)[None, :]
    inside = (y < rows) & (x < cols)
    moves = (z > 0) & (z < depth - 1) & (y > 0) & (y < rows - 1) & (x > 0) & (x < cols - 1)
    place = old + z.to(tl.int64) * rows * cols + y * cols + x
    value = tl.load(place, mask=inside)
    around = tl.load(place - 1, mask=moves, other=0) + tl.load(place + 1, mask=moves, other=0)
    around += tl.load(place - cols, mask=moves, other=0)
    around += tl.load(place + cols, mask=moves, other=0)
    around += tl.load(place - rows * cols, mask=moves, other=0)
    around += tl.load(place + rows * cols, mask=moves, other=0)
    after = tl.where(moves, center * value + neighbor * around, value)
    tl.store(new + z.to(tl.int64) * rows * cols + y * cols + x, after, mask=inside)


def step_of(u, v):
    """Writes the interior of v; its boundary stays."""
    inner = slice(1, -1)
    around = (u[:-2, inner, inner] + u[2:, inner, inner] + u[inner, :-2, inner]
              + u[inner, 2:, inner] + u[inner, inner, :-2] + u[inner, inner, 2:])
    v[inner, inner, inner] = CENTER * u[inner, inner, inner] + NEIGHBOR * around


def case(depth, rows, cols, steps):
    def stepping(step, new=torch.clone):
        """A call that takes all steps, with two buffers in turn; new(u) makes a buffer."""
        def call(u):
            buffers = [new(u) for _ in range(min(steps, 2))]
            for i in range(steps):
                v = buffers[i % 2]
                step(u, v)
                u = v
            return u
        return call

    weight = torch.zeros(3, 3, 3, device=DEVICE)
    weight[1, 1] = weight[1, :, 1] = weight[:, 1, 1] = NEIGHBOR
    weight[1, 1, 1] = CENTER

    def convolved(u):
        u = u.clone()
        for _ in range(steps):
            u[1:-1, 1:-1, 1:-1] = F.conv3d(u[None, None], weight[None, None])[0, 0]
        return u

    def kernel(of_rows, of_cols, u):
        grid = triton.cdiv(cols, of_cols), triton.cdiv(rows, of_rows), depth

        def step(u, v):
            step_kernel[grid](u, v, depth, rows, cols, CENTER, NEIGHBOR, ROWS=of_rows, COLS=of_cols)
        return stepping(step, torch.empty_like)(u)
    peers = triton_peers("{} x {} cells", kernel, ((1, 512), (4, 128), (8, 128)))
    return Case([randn(depth, rows, cols)], [empty(depth, rows, cols)],
                [depth, rows, cols, steps, CENTER, NEIGHBOR], stepping(step_of),
                compile_part=lambda compile: stepping(compile(step_of)),
                peers={"PyTorch, conv3d": convolved, **peers}, moves_memory=steps == 1)


def random_size(draw):
    return (*(upto(draw, 16, 512) for _ in range(3)), upto(draw, 1, 64))

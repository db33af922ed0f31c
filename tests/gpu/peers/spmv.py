import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, Case, empty, power_law, randn, triton_peers, upto


@triton.jit
def spmv_kernel(row_start, col, value, x, y, rows, ROWS: tl.constexpr, STEP: tl.constexpr):
    """A program has ROWS rows and walks along all of them, STEP entries at a time."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    begin = tl.load(row_start + row, mask=row < rows, other=0)
    end = tl.load(row_start + row + 1, mask=row < rows, other=0)
    total = tl.zeros([ROWS, STEP], tl.float32)
    for first in range(0, tl.max(end - begin, 0), STEP):
        i = begin[:, None] + first + tl.arange(0, STEP)[None, :]
        inside = i < end[:, None]
        at = tl.load(col + i, mask=inside, other=0)
        total += tl.load(value + i, mask=inside, other=0) * tl.load(x + at, mask=inside, other=0)
    tl.store(y + row, tl.sum(total, 1), mask=row < rows)


def row_lengths(rows, cols, nnz):
    """As the problem draws them: the remainder of nnz / rows chooses the structure. 0: equal rows;
    1: one row as full as it can be; else a power law, which no row exceeds `cols` in."""
    if nnz % rows == 0:
        return torch.full((rows,), nnz // rows, device=DEVICE)
    if nnz % rows == 1:
        lengths = torch.zeros(rows, device=DEVICE, dtype=torch.int64)
        lengths[0] = min(cols, nnz)
    else:
        lengths = power_law(rows, nnz).clamp(max=cols)
    room = cols - lengths  # remaining entries fill the rows in order, starting with the first
    before = room.cumsum(0) - room
    lengths += (nnz - lengths.sum() - before).clamp(min=0).minimum(room)
    return lengths[torch.randperm(rows, device=DEVICE)]


def columns(lengths, row_start, cols):
    """One column in each of equal parts of a row."""
    row = torch.repeat_interleave(torch.arange(lengths.numel(), device=DEVICE), lengths)
    length, k = lengths[row], torch.arange(row.numel(), device=DEVICE) - row_start[row]
    begin, end = k * cols // length, (k + 1) * cols // length
    place = (torch.rand(row.numel(), device=DEVICE) * (end - begin)).long()
    return (begin + place).minimum(end - 1)


def case(rows, cols, nnz):
    lengths = row_lengths(rows, cols, nnz)
    row_start = F.pad(lengths.cumsum(0), (1, 0))

    def formula(row_start, col, value, x):
        matrix = torch.sparse_csr_tensor(row_start, col, value, (rows, cols),
                                         check_invariants=False)
        return torch.mv(matrix, x)

    def kernel(many, step, row_start, col, value, x):
        y = empty(rows)
        spmv_kernel[(triton.cdiv(rows, many),)](row_start, col, value, x, y, rows, ROWS=many,
                                                STEP=step)
        return y
    peers = triton_peers("{} rows, {} entries", kernel, ((64, 16), (128, 16), (32, 32), (1, 1024)))
    return Case([row_start.int(), columns(lengths, row_start, cols).int(), randn(nnz), randn(cols)],
                [empty(rows)], [rows, cols, nnz], formula, peers=peers, may_compile=False)


def random_size(draw):
    """Of the three structures of the kept times."""
    rows, cols = upto(draw, 1000, 2**22), upto(draw, 1000, 2**22)
    mean = upto(draw, 2, max(2, min(cols // 4, 2**26 // rows - 1)))
    return rows, cols, rows * mean + draw.choice((0, 1, 2))

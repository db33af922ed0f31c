import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import DEVICE, HALF, Case, empty, randn, triton_peers, upto


@triton.jit
def load_rows(x, head, length, start, cols, DIM: tl.constexpr, CHUNK: tl.constexpr):
    """Some columns of a chunk's tokens; tokens past the end are 0."""
    token = start + tl.arange(0, CHUNK)[:, None]
    return tl.load(x + (head * length + token) * DIM + cols[None, :], mask=token < length, other=0)


@triton.jit
def chunk_outputs(q, k, v, state, power, DIM: tl.constexpr, CHUNK: tl.constexpr):
    """power is the logarithm of the decay to base 2; state is rounded."""
    place = tl.arange(0, CHUNK)
    back = place[:, None] - place[None, :]
    weight = tl.where(back >= 0, tl.exp2(tl.maximum(back, 0) * power), 0)
    scores = (tl.dot(q, tl.trans(k)) * weight).to(tl.float16)
    before = tl.dot(q, state) * tl.exp2((place[:, None] + 1) * power)
    return (before + tl.dot(scores, v)) * (DIM ** -0.5)


@triton.jit
def next_state(state, k, v, power, CHUNK: tl.constexpr):
    weight = tl.exp2((CHUNK - 1 - tl.arange(0, CHUNK)[:, None]) * power)
    return state * tl.exp2(CHUNK * power) + tl.dot(tl.trans((k * weight).to(tl.float16)), v)


@triton.jit
def walk_kernel(Q, K, V, decay, O, heads, length, DIM: tl.constexpr, COLS: tl.constexpr,
                CHUNK: tl.constexpr):
    """A program walks the chunks of a head for COLS columns of V."""
    head = tl.program_id(1).to(tl.int64)
    power = tl.log2(tl.load(decay + head % heads))
    all_cols, cols = tl.arange(0, DIM), tl.program_id(0) * COLS + tl.arange(0, COLS)
    state = tl.zeros([DIM, COLS], tl.float32)
    for start in range(0, length, CHUNK):
        q = load_rows(Q, head, length, start, all_cols, DIM, CHUNK)
        k = load_rows(K, head, length, start, all_cols, DIM, CHUNK)
        v = load_rows(V, head, length, start, cols, DIM, CHUNK)
        o = chunk_outputs(q, k, v, state.to(tl.float16), power, DIM, CHUNK)
        token = start + tl.arange(0, CHUNK)[:, None]
        tl.store(O + (head * length + token) * DIM + cols[None, :], o, mask=token < length)
        state = next_state(state, k, v, power, CHUNK)


@triton.jit
def states_kernel(K, V, decay, S, heads, length, DIM: tl.constexpr, COLS: tl.constexpr,
                  CHUNK: tl.constexpr):
    """The rounded state before each chunk: [heads, chunks, DIM, DIM]."""
    head = tl.program_id(1).to(tl.int64)
    power = tl.log2(tl.load(decay + head % heads))
    all_cols, cols = tl.arange(0, DIM), tl.program_id(0) * COLS + tl.arange(0, COLS)
    state = tl.zeros([DIM, COLS], tl.float32)
    to = S + head * tl.cdiv(length, CHUNK) * DIM * DIM + all_cols[:, None] * DIM + cols[None, :]
    for start in range(0, length, CHUNK):
        tl.store(to, state.to(tl.float16))
        to += DIM * DIM
        k = load_rows(K, head, length, start, all_cols, DIM, CHUNK)
        v = load_rows(V, head, length, start, cols, DIM, CHUNK)
        state = next_state(state, k, v, power, CHUNK)


@triton.jit
def outputs_kernel(Q, K, V, decay, S, O, heads, length, DIM: tl.constexpr, COLS: tl.constexpr,
                   CHUNK: tl.constexpr):
    """A program for each chunk and COLS columns, from the state before the chunk."""
    head, start = tl.program_id(2).to(tl.int64), tl.program_id(1) * CHUNK
    power = tl.log2(tl.load(decay + head % heads))
    all_cols, cols = tl.arange(0, DIM), tl.program_id(0) * COLS + tl.arange(0, COLS)
    number = head * tl.cdiv(length, CHUNK) + tl.program_id(1)
    state = tl.load(S + number * DIM * DIM + all_cols[:, None] * DIM + cols[None, :])
    q = load_rows(Q, head, length, start, all_cols, DIM, CHUNK)
    k = load_rows(K, head, length, start, all_cols, DIM, CHUNK)
    v = load_rows(V, head, length, start, cols, DIM, CHUNK)
    o = chunk_outputs(q, k, v, state, power, DIM, CHUNK)
    token = start + tl.arange(0, CHUNK)[:, None]
    tl.store(O + (head * length + token) * DIM + cols[None, :], o, mask=token < length)


def case(batch, heads, length, dim):
    shape, chunks = (batch, heads, length, dim), -(-length // 64)

    def by_chunks(Q, K, V, decay):
        """Chunks of 64 as matrix products; the state is carried in float."""
        wide = torch.promote_types(Q.dtype, torch.float32)
        q, k, v = (F.pad(x, (0, 0, 0, 64 * chunks - length)).view(batch, heads, chunks, 64, dim)
                   for x in (Q, K, V))
        place = torch.arange(64, device=DEVICE)
        base = decay.to(wide).view(heads, 1, 1, 1)
        weight = (base ** (place[:, None] - place).clamp(min=0)).tril()
        scores = (q @ k.mT * weight).to(Q.dtype)
        own = (k * base ** (63 - place[:, None])).to(Q.dtype).mT @ v
        state, states = torch.zeros_like(own[:, :, 0], dtype=wide), []
        for chunk in range(chunks):
            states.append(state.to(Q.dtype))
            state = state * base[:, 0] ** 64 + own[:, :, chunk]
        before = q @ torch.stack(states, 2) * base ** (place[:, None] + 1)
        o = (before + scores @ v) / dim ** 0.5
        return o.view(batch, heads, 64 * chunks, dim)[:, :, :length].to(Q.dtype)

    def walk(cols, chunk, warps, Q, K, V, decay):
        O = empty(*shape, dtype=HALF)
        walk_kernel[(dim // cols, batch * heads)](Q, K, V, decay, O, heads, length, DIM=dim,
                                                  COLS=cols, CHUNK=chunk, num_warps=warps)
        return O

    def with_states(cols, chunk, warps, Q, K, V, decay):
        O, count = empty(*shape, dtype=HALF), triton.cdiv(length, chunk)
        S = empty(batch * heads, count, dim, dim, dtype=HALF)
        options = {"DIM": dim, "COLS": cols, "CHUNK": chunk, "num_warps": warps}
        states_kernel[(dim // cols, batch * heads)](K, V, decay, S, heads, length, **options)
        outputs_kernel[(dim // cols, count, batch * heads)](Q, K, V, decay, S, O, heads, length,
                                                            **options)
        return O
    options = ((64, 64, 4), (64, 128, 4), (dim, 64, 4), (dim, 64, 8))
    peers = triton_peers("states, {} columns, chunk {}, {} warps", with_states, options)
    peers |= triton_peers("one kernel, {} columns, chunk {}, {} warps", walk,
                          ((32, 64, 4), *options))
    decay = 1 - 2.0 ** (-5 - torch.arange(heads, device=DEVICE) * (7 / heads))  # as in RetNet
    return Case([*(randn(*shape, dtype=HALF) for _ in range(3)), decay.float()],
                [empty(*shape, dtype=HALF)], [*shape], by_chunks, peers=peers, tolerance=1e-2)


def random_size(draw):
    length, dim = upto(draw, 128, 65536), draw.choice((64, 128))
    heads = upto(draw, 1, max(1, min(64, 2**27 // (length * dim))))
    return upto(draw, 1, max(1, min(16, 2**27 // (length * dim * heads)))), heads, length, dim

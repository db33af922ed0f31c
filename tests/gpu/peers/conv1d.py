import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from peer_case import FEW_TAPS, MANY_TAPS, MOST_UNFOLDED, Case, empty, randn, triton_peers, upto


@triton.jit
def conv1d_kernel(x, w, y, n, k, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for j in range(k):
        total += tl.load(x + i + j, mask=i + j < n, other=0) * tl.load(w + j)
    tl.store(y + i, total, mask=i < n - k + 1)


def case(n, k):
    outputs = n - k + 1

    def by_fft(x, w):
        """Blocks of the signal that overlap by k - 1; of each, the outputs that do not wrap around.
        """
        length = max(4096, 4 * triton.next_power_of_2(k))
        step = length - k + 1
        blocks = triton.cdiv(outputs, step)
        signal = F.pad(x, (0, blocks * step + k - 1 - n)).unfold(0, length, step)
        spectrum = torch.fft.rfft(signal) * torch.fft.rfft(w, length).conj()
        return torch.fft.irfft(spectrum, length)[:, :step].reshape(-1)[:outputs]

    def kernel(block, warps, x, w):
        y = empty(outputs)
        conv1d_kernel[(triton.cdiv(outputs, block),)](x, w, y, n, k, BLOCK=block, num_warps=warps)
        return y
    peers = triton_peers("{} outputs, {} warps", kernel, ((512, 4), (1024, 4), (2048, 8)))
    if k > FEW_TAPS:
        peers["PyTorch, FFT"] = by_fft
    return Case([randn(n), randn(k)], [empty(outputs)], [n, k],
                lambda x, w: F.conv1d(x[None, None], w[None, None])[0, 0], exact=by_fft,
                compiled=lambda x, w: (x.unfold(0, k, 1) * w).sum(1),
                may_compile=k <= MOST_UNFOLDED, peers=peers, moves_memory=k < MANY_TAPS)


def random_size(draw):
    k = upto(draw, 1, 2048)
    return upto(draw, 10**5, 10**8 if k < 256 else 2 * 10**7), k

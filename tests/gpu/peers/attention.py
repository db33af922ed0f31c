import torch
import torch.nn.functional as F

from peer_attention import by_backends
from peer_case import Case, empty, randn, upto


def case(m, n, d):
    def attend(Q, K, V):
        """The kernels take four dimensions."""
        return F.scaled_dot_product_attention(Q[None, None], K[None, None], V[None, None])[0, 0]

    def two_products(Q, K, V):
        return torch.softmax(Q @ K.t() * d**-0.5, 1) @ V
    return Case([randn(m, d), randn(n, d), randn(n, d)], [empty(m, d)], [m, n, d], attend,
                exact=two_products, compiled=two_products,
                peers={"PyTorch, two products": two_products,
                       **by_backends(attend, ["efficient"])},  # flash and cuDNN take 16 bits
                moves_memory=False)


def random_size(draw):
    return upto(draw, 16, 16384), upto(draw, 16, 32768), upto(draw, 8, 256)

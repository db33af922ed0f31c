from peer_case import Case, empty, randn, upto


def case(n, k):
    return Case([randn(n)], [empty(k)], [n, k], lambda x: x.topk(k).values,
                peers={"PyTorch, sort": lambda x: x.sort(descending=True).values[:k]},
                may_compile=False, tolerance=0)


def random_size(draw):
    return upto(draw, 10**5, 2 * 10**8), upto(draw, 1, 65536)

from peer_case import INT, Case, distinct_rows, empty, upto


def case(rows, cols, k):
    def formula(x):
        values, chosen = x.topk(k)
        return values, chosen.int()
    return Case([distinct_rows(rows, cols) * (2 / cols) - 1],
                [empty(rows, k), empty(rows, k, dtype=INT)], [rows, cols, k], formula,
                may_compile=False, tolerance=0)


def random_size(draw):
    rows, cols = upto(draw, 16, 4096), upto(draw, 1000, 131072)
    return rows, cols, upto(draw, 1, 256)

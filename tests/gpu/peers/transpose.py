from peer_case import Case, empty, randn, upto


def case(rows, cols):
    return Case([randn(rows, cols)], [empty(cols, rows)], [rows, cols],
                lambda x: x.t().contiguous())


def random_size(draw):
    cols = upto(draw, 32, 131072)
    return upto(draw, 32, min(2**20, 2**28 // cols)), cols

import torch

from peer_case import DEVICE, INT, Case, below, empty, upto


def probabilities(batch, rows, vocab):
    """As the problem draws them: half of the weight is spread evenly, half over 16 tokens."""
    weight = torch.rand(batch, rows, vocab, device=DEVICE)
    heavy = torch.randint(vocab, (batch, rows, 16), device=DEVICE)
    more = weight.sum(2, keepdim=True) / 16 * (0.5 + torch.rand(batch, rows, 16, device=DEVICE))
    weight.scatter_add_(2, heavy, more)
    return weight / weight.sum(2, keepdim=True)


def at(rows, tokens):
    """Each row's entry of its token."""
    return rows.gather(2, tokens.long()[:, :, None])[:, :, 0]


def weights_of(p, q, accepted):
    """[batch, vocab]: what the token after `accepted` drafts is drawn by."""
    drafts = p.shape[1]
    sequence = torch.arange(p.shape[0], device=p.device)
    target = q[sequence, accepted]
    rejected = (target - p[sequence, accepted.clamp(max=drafts - 1)]).clamp(min=0)
    return torch.where((accepted < drafts)[:, None], rejected, target)


def draw_inputs(batch, drafts, vocab):
    """Numbers that leave no doubt: all drafts, none, half, all but one, or any number of them are
    accepted, and the token is the heaviest one."""
    p, q = probabilities(batch, drafts, vocab), probabilities(batch, drafts + 1, vocab)
    tokens = below(vocab, batch * drafts).reshape(batch, drafts)
    sequence = torch.arange(batch, device=DEVICE)
    ends = torch.tensor([drafts, 0, drafts // 2, drafts - 1, 0], device=DEVICE)[sequence % 5]
    accepted = torch.where(sequence % 5 == 4, below(drafts + 1, batch), ends).long()
    at_end = accepted.clamp(max=drafts - 1)
    overrated = (p[sequence, at_end] - q[sequence, at_end]).argmax(1).int()
    tokens[sequence, at_end] = torch.where(accepted < drafts, overrated, tokens[sequence, at_end])

    draw = torch.rand(batch, drafts, device=DEVICE)
    limit = at(q[:, :drafts], tokens) / at(p, tokens)
    is_end = torch.arange(drafts, device=DEVICE)[None, :] == accepted[:, None]
    number = torch.where(is_end, limit + (1 - limit) * (0.01 + 0.98 * draw),
                         0.99 * limit.clamp(max=1) * draw)
    weights = weights_of(p, q, accepted).double()
    heaviest = weights.argmax(1, keepdim=True)
    before = weights.cumsum(1) - weights / 2
    last = before.gather(1, heaviest) / weights.sum(1, keepdim=True)
    return tokens, p, q, torch.cat((number, last.float()), 1)


def case(batch, drafts, vocab):
    def formula(tokens, p, q, uniform):
        is_accepted = uniform[:, :drafts] * at(p, tokens) < at(q[:, :drafts], tokens)
        accepted = is_accepted.long().cumprod(1).sum(1)
        running = weights_of(p, q, accepted).cumsum(1)
        bound = uniform[:, drafts:] * running[:, -1:]
        token = torch.searchsorted(running, bound, right=True).clamp(max=vocab - 1)
        return accepted.int(), token[:, 0].int()
    return Case([*draw_inputs(batch, drafts, vocab)],
                [empty(batch, dtype=INT), empty(batch, dtype=INT)], [batch, drafts, vocab], formula,
                tolerance=0, bytes_read=8 * batch * vocab + 16 * batch * drafts + 4 * batch)


def random_size(draw):
    drafts, vocab = upto(draw, 1, 16), upto(draw, 1000, 262144)
    return upto(draw, 1, min(4096, 2**29 // ((drafts + 1) * vocab))), drafts, vocab

// speculative_verify: which tokens of a draft model are kept, and the token that follows them.
// draft_tokens is [batch, drafts], draft_probs [batch, drafts, vocab], target_probs [batch, drafts
// + 1, vocab], uniform [batch, drafts + 1]. Draft i with token t is accepted if uniform[i] p[i][t]
// < q[i][t]. accepted = n is the number of drafts before the first one that is not. The token is
// drawn with the weights max(q[n] - p[n], 0), or q[drafts] if n == drafts: it is the first one, by
// index, at which the running sum of weights is above uniform[drafts] times their sum.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "problems/spec/problem.h"

namespace kata::problem::speculative_verify {

struct Sizes {
  explicit Sizes(const Shape& s) : batch(s[0]), drafts(s[1]), vocab(s[2]) {}
  std::size_t batch, drafts, vocab;
};

Dims targets(const Shape& shape) {
  return {shape[0], std::int64_t{shape[1]} + 1, shape[2]};
}
Dims numbers(const Shape& shape) {
  return {shape[0], std::int64_t{shape[1]} + 1};
}

// A row of probabilities: half of the weight is spread over all tokens, the other half over at most
// 16 of them. So any token may be drawn, and some are heavy enough to be drawn beyond doubt.
void draw_row(std::span<float> row, const Random& random) {
  const std::size_t heavy = std::min<std::size_t>(16, (row.size() + 1) / 2);
  std::vector<double> weight(row.size());
  double sum = 0;
  for (std::size_t v = 0; v < row.size(); ++v) sum += weight[v] = random.uniform(v);
  for (std::size_t i = 0; i < heavy; ++i) {
    const double more = sum / static_cast<double>(heavy) * (0.5 + random.stream(1).uniform(i));
    weight[random.stream(2).below(i, row.size())] += more;
  }
  sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  for (std::size_t v = 0; v < row.size(); ++v) row[v] = static_cast<float>(weight[v] / sum);
}

/// One sequence's rows and numbers.
struct Sequence {
  std::span<int> token;
  std::span<float> p, q, u;
  std::size_t drafts, vocab;

  std::span<float> draft(std::size_t i) const { return p.subspan(i * vocab, vocab); }
  std::span<float> target(std::size_t i) const { return q.subspan(i * vocab, vocab); }
};

// A float's running sum over a row errs by less than this share of its sum.
double margin(std::size_t vocab) {
  return 3 * std::max(std::ldexp(1.0, -16), std::ldexp(static_cast<double>(vocab), -28));
}

std::vector<double> weights_of(const Sequence& s, std::size_t n) {
  std::vector<double> w(s.target(n).begin(), s.target(n).end());
  for (std::size_t v = 0; n < s.drafts && v < s.vocab; ++v) {
    w[v] = std::max(w[v] - static_cast<double>(s.draft(n)[v]), 0.0);
  }
  return w;
}

// Which token a kernel may reject, p above q: one of the tokens with the largest difference.
std::size_t overrated(const Sequence& s, std::size_t i) {
  std::size_t best = 0;
  for (std::size_t v = 1; v < s.vocab; ++v) {
    if (s.draft(i)[v] - s.target(i)[v] > s.draft(i)[best] - s.target(i)[best]) best = v;
  }
  return best;
}

// Draft i is accepted, or not, by a number that leaves no doubt. `is_zero`: the target gives the
// token no weight, and even 0 does not make it accepted.
void decide(const Sequence& s, std::size_t i, bool is_accepted, bool is_zero,
            const Random& random) {
  if (is_accepted) {
    std::size_t t = random.below(0, s.vocab);
    if (s.draft(i)[t] == 0 || s.target(i)[t] == 0) {
      t = static_cast<std::size_t>(std::ranges::max_element(s.target(i)) - s.target(i).begin());
    }
    float& p = s.draft(i)[t];
    if (p == 0) p = 1e-6f;
    s.token[i] = static_cast<int>(t);
    const double limit = std::min(1.0, static_cast<double>(s.target(i)[t]) / p);
    s.u[i] = static_cast<float>(0.99 * limit * random.uniform(1));
    return;
  }
  const std::size_t t = overrated(s, i);
  s.token[i] = static_cast<int>(t);
  if (is_zero) {
    float& q = s.target(i)[t];
    s.target(i)[(t + 1) % s.vocab] += q;
    q = 0;
    s.u[i] = 0;
    return;
  }
  const double limit = static_cast<double>(s.target(i)[t]) / s.draft(i)[t];
  s.u[i] = static_cast<float>(limit + (1 - limit) * (0.01 + 0.98 * random.uniform(1)));
}

// The row of the weights is the target's alone for one token, or for two besides the draft's.
void special_target(const Sequence& s, std::size_t n, std::size_t kind, const Random& random) {
  const std::size_t a = random.below(0, s.vocab),
                    b = (a + 1 + random.below(1, s.vocab - 1)) % s.vocab;
  if (kind == 0) {  // a one-hot target
    std::ranges::fill(s.target(n), 0.0f);
    s.target(n)[a] = 1;
  } else if (kind == 1 && n < s.drafts) {  // the same rows but for two tokens
    std::ranges::copy(s.draft(n), s.target(n).begin());
    const float moved = s.draft(n)[a] / 2;
    s.target(n)[a] -= moved;
    s.target(n)[b] += moved;
  }
}

// Both rows are nearly the same, and their sums are as far apart as they may be: the weights, of
// 128 tokens, have another sum than half of all differences.
void near_target(const Sequence& s, std::size_t n, const Random& random) {
  constexpr std::size_t tokens = 128;
  constexpr double moved = 1.2e-3, off = 0.9e-5;
  if (n == s.drafts || s.vocab < 4 * tokens) return;
  const std::span<float> p = s.draft(n), q = s.target(n);
  std::vector<double> target(p.begin(), p.end());
  for (double& weight : target) weight *= 1 - moved;
  for (std::size_t i = 0; i < tokens; ++i) target[random.below(i, s.vocab)] += moved / tokens;
  for (std::size_t v = 0; v < s.vocab; ++v) {
    q[v] = static_cast<float>(target[v] * (1 + off));
    p[v] = static_cast<float>(p[v] * (1 - off));
  }
}

// No weight at both ends of the vocabulary, but the last token with weight is a heavy one.
void bare_ends(const Sequence& s, std::size_t n) {
  const std::size_t bare = s.vocab / 5;
  if (bare == 0) return;
  const std::span<float> q = s.target(n);
  double moved = 0;
  for (std::size_t v = 0; v < s.vocab; ++v) {
    if (v >= bare && v < s.vocab - bare) continue;
    moved += q[v];
    q[v] = 0;
  }
  q[s.vocab - bare - 1] += static_cast<float>(moved);
}

// The number that draws the token: 0, the largest below 1 where the last weight is heavy, or the
// middle of a heavy token. False if no token is heavy enough, or there is too little weight in all.
bool draw_token(const Sequence& s, std::size_t n, std::size_t kind, const Random& random) {
  const std::vector<double> w = weights_of(s, n);
  const double sum = std::accumulate(w.begin(), w.end(), 0.0);
  if (sum < std::ldexp(1.0, -10)) return false;
  std::vector<std::size_t> heavy;
  std::size_t last = 0;
  for (std::size_t v = 0; v < s.vocab; ++v) {
    if (w[v] > 4 * margin(s.vocab) * sum) heavy.push_back(v);
    if (w[v] > 0) last = v;
  }
  if (heavy.empty()) return false;
  float& u = s.u[s.drafts];
  if (kind == 0) {
    u = 0;
  } else if (kind == 1 && heavy.back() == last) {
    u = 1 - std::ldexp(1.0f, -24);
  } else {
    const std::size_t v = heavy[random.below(0, heavy.size())];
    const double before =
        std::accumulate(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(v), 0.0);
    u = static_cast<float>((before + w[v] / 2) / sum);
  }
  return true;
}

// One try: everything depends on the sequence's number and on the try.
bool draw_sequence(const Sequence& s, std::size_t kind, const Random& random) {
  for (std::size_t i = 0; i <= s.drafts; ++i) {
    if (i < s.drafts) draw_row(s.draft(i), random.stream(2 * i));
    draw_row(s.target(i), random.stream(2 * i + 1));
  }
  const std::size_t ends[] = {s.drafts, 0, s.drafts / 2, s.drafts - 1,
                              random.below(0, s.drafts + 1)};
  const std::size_t n = ends[kind % 5];
  special_target(s, n, kind / 5 % 4, random.stream(1000));
  if (kind / 5 % 4 == 2) {
    near_target(s, n, random.stream(1000));
  } else if (kind % 3 != 0) {
    bare_ends(s, n);
  }
  for (std::size_t i = 0; i < s.drafts; ++i) {
    const bool is_accepted = i < n || (i > n && random.below(i, 2) == 0);
    decide(s, i, is_accepted, kind % 4 == 1, random.stream(2000 + i));
  }
  return draw_token(s, n, kind % 7, random.stream(3000));
}

void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const Sizes s(one_case.shape);
  const auto part = [&]<class T>(std::span<T> all, std::size_t b) {
    return all.subspan(b * (all.size() / s.batch), all.size() / s.batch);
  };
  for (std::size_t b = 0; b < s.batch; ++b) {
    const Sequence sequence{part(inputs[0].as<int>(), b),
                            part(inputs[1].as<float>(), b),
                            part(inputs[2].as<float>(), b),
                            part(inputs[3].as<float>(), b),
                            s.drafts,
                            s.vocab};
    const std::size_t kind = random.below(s.batch, 420) + b;
    for (std::size_t attempt = 0; attempt < 64; ++attempt) {
      // A row without what a kind needs is drawn again, and another kind comes up.
      if (draw_sequence(sequence, kind + 11 * attempt, random.stream(b).stream(attempt))) break;
    }
  }
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool counts_all = false;      ///< accepted counts drafts after a rejection, too
  bool from_target = false;     ///< weights are q[n], also after a rejection
  bool is_absolute = false;     ///< weights are |q[n] - p[n]|
  bool is_normalized = true;    ///< the number is scaled by the sum of the weights
  bool own_number = false;      ///< the rejected draft's number draws the token
  bool last_draft_row = false;  ///< the token after all drafts is drawn from q[drafts - 1]
  bool includes_equal = false;  ///< a running sum equal to the bound ends the walk
};

Outputs verify(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const Sizes s(one_case.shape);
  Expected accepted, token;  // both exact
  for (std::size_t b = 0; b < s.batch; ++b) {
    const int* draft = &inputs[0].as<int>()[b * s.drafts];
    const float* p = &inputs[1].as<float>()[b * s.drafts * s.vocab];
    const float* q = &inputs[2].as<float>()[b * (s.drafts + 1) * s.vocab];
    const float* u = &inputs[3].as<float>()[b * (s.drafts + 1)];
    const auto accepts = [&](std::size_t i) {
      const std::size_t at = i * s.vocab + static_cast<std::size_t>(draft[i]);
      return static_cast<double>(u[i]) * p[at] < q[at];
    };
    std::size_t n = 0, all = 0;
    while (n < s.drafts && accepts(n)) ++n;
    for (std::size_t i = 0; i < s.drafts; ++i) all += accepts(i);
    const std::size_t row = n == s.drafts && formula.last_draft_row ? n - 1 : n;
    std::vector<double> w(q + row * s.vocab, q + (row + 1) * s.vocab);
    for (std::size_t v = 0; n < s.drafts && !formula.from_target && v < s.vocab; ++v) {
      const double difference = w[v] - p[n * s.vocab + v];
      w[v] = formula.is_absolute ? std::fabs(difference) : std::max(difference, 0.0);
    }
    const double sum = std::accumulate(w.begin(), w.end(), 0.0);
    const double number = u[formula.own_number ? n : s.drafts];
    const double bound = number * (formula.is_normalized ? sum : 1);
    std::size_t v = 0;
    double running = w[0];
    while (v + 1 < s.vocab && (formula.includes_equal ? running < bound : running <= bound))
      running += w[++v];
    accepted.value.push_back(static_cast<double>(formula.counts_all ? all : n));
    token.value.push_back(static_cast<double>(v));
  }
  return {accepted, token};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return verify(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return verify(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"if drafts after the first rejected one counted, too", instead({.counts_all = true})},
    {"if a token after a rejection were drawn from the target, not from what it has more than the "
     "draft",
     instead({.from_target = true})},
    {"if the weights were |q - p|", instead({.is_absolute = true})},
    {"if the sum of the weights were taken to be 1", instead({.is_normalized = false})},
    {"if the token were drawn by the number that rejected the draft",
     instead({.own_number = true})},
    {"if the token after all drafts were drawn from the row of the last draft",
     instead({.last_draft_row = true})},
    {"if the walk ended where the running sum equals its bound", instead({.includes_equal = true})},
};

// One row of each model for each sequence, and two numbers for each draft.
Cost cost(const Shape& shape) {
  const double batch = shape[0], drafts = shape[1], vocab = shape[2];
  return {.bytes_read = 8 * batch * vocab + 16 * batch * drafts + 4 * batch,
          .bytes_written = 8 * batch,
          .operations = 3 * batch * vocab};
}

Shape nearest(Shape shape) {
  return {std::max(shape[0], 1), std::clamp(shape[1], 1, 16), std::max(shape[2], 2)};
}

// Both outputs are exact. A float's sum of a row may err, so the numbers are arranged: a draft is
// far from the bound, and the bound of the walk is in the middle of a heavy token.
REGISTER_PROBLEM({
    .name = "speculative_verify",
    .summary = "how many drafted tokens a language model accepts, and the token that follows",
    .frequency = "medium",
    .difficulty = "medium",
    .selects = true,
    .signature = signature(input<int>("draft_tokens", dims<0, 1>),
                           input<float>("draft_probs", dims<0, 1, 2>),
                           input<float>("target_probs", targets), input<float>("uniform", numbers),
                           output<int>("accepted", dims<0>), output<int>("token", dims<0>),
                           integer("batch", 1, 1 << 17), integer("drafts", 1, 16),
                           integer("vocab", 2, 262144)),
    .limits = {"drafts <= 16 and vocab >= 2", nearest},
    .cases = {{{1, 1, 2}},
              {{40, 2, 31}},
              {{40, 3, 32}},
              {{40, 4, 33}},
              {{9, 8, 1000}},
              {{3, 16, 257}},
              {{1025, 1, 33}},
              {{5, 5, 2049}},
              {{2, 1, 32003}},
              {{2, 1, 131073}}},
    .large_cases = {{{64, 4, 32000}}, {{8, 8, 131073}}, {{5000, 2, 257}}, {{4, 2, 262144}}},
    .bench_shapes = {{64, 8, 131072}, {8, 4, 131072}, {256, 4, 32000}, {64, 8, 128257}},
    .drawn_values = {Values::normal, Values::normal, Values::normal},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::speculative_verify

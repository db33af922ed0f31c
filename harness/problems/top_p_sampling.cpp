// top_p_sampling: one token from each row of logits, drawn from the most likely ones (nucleus
// sampling: Holtzman and others, "The Curious Case of Neural Text Degeneration", 2020). logits is
// [rows, vocab], p and uniform are [rows]. With w[v] = exp(logit[v] - the row's largest) and S
// their sum, the nucleus is the shortest prefix, by weight descending, then by index, whose weight
// N is at least p S. The token is the first one of the nucleus, by index, at which the running sum
// of the nucleus's weights is above uniform N.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "problems/spec/problem.h"

namespace kata::problem::top_p_sampling {

constexpr double steps = 256;  // logits are multiples of 1 / steps
constexpr float infinity = std::numeric_limits<float>::infinity();

/// One row's logits and numbers.
struct Row {
  std::span<const float> logits;
  float p, uniform;
};

int step_of(float logit) {
  return static_cast<int>(std::lround(logit * steps));
}

/// Which tokens may be drawn. `depth` is a distance from the largest logit, in steps.
struct Nucleus {
  int depth;           ///< tokens that are nearer to the largest are in
  std::size_t ties;    ///< of the tokens at that depth, those with the lowest indices
  std::size_t equal;   ///< tokens at that depth, in the nucleus or not
  std::size_t tokens;  ///< in the nucleus
  double weight;
};

double weight(int depth) {
  return std::exp(-depth / steps);
}

/// A row's values in order, with the number of tokens that have each: few, as logits are multiples
/// of 2^-8.
class Sorted {
 public:
  explicit Sorted(std::span<const float> logits) {
    std::vector<int> finite;
    for (const float l : logits)
      if (l != -infinity) finite.push_back(step_of(l));
    if (finite.empty()) finite.push_back(0);  // rows that arrange() did not draw
    std::ranges::sort(finite, std::ranges::greater());
    most_ = finite.front();
    for (std::size_t i = 0, end; i < finite.size(); i = end) {
      for (end = i; end < finite.size() && finite[end] == finite[i];) ++end;
      const int depth = most_ - finite[i];
      const double before = levels_.empty() ? 0 : levels_.back().upto;
      levels_.push_back(
          {depth, end - i, end, before + static_cast<double>(end - i) * weight(depth)});
    }
  }

  int depth(float finite) const { return most_ - step_of(finite); }
  double sum() const { return levels_.back().upto; }

  Nucleus nucleus(double p) const {
    // All of it is every token with a weight, also one too light to move the sum.
    const Level& last = levels_.back();
    if (p >= 1) return {last.depth, last.count, last.count, last.end, last.upto};
    const double least = p * sum();
    const auto level = std::ranges::lower_bound(levels_, least, {}, &Level::upto);
    const double before = level == levels_.begin() ? 0 : std::prev(level)->upto;
    const double w = weight(level->depth);
    const double ties =
        std::clamp(std::ceil((least - before) / w), 1.0, static_cast<double>(level->count));
    const auto whole = static_cast<std::size_t>(ties);
    return {level->depth, whole, level->count, level->end - level->count + whole,
            before + ties * w};
  }

 private:
  struct Level {
    int depth;
    std::size_t count, end;  ///< tokens at that depth; and with all that are nearer
    double upto;             ///< the weight of the latter
  };

  int most_ = 0;
  std::vector<Level> levels_;
};

/// Where a walk through a nucleus ends.
struct End {
  std::size_t token;
  double before, upto;  ///< the running sum without the token, and with it
  bool is_first, is_last;
};

/// Calls visit(token, weight) for the tokens of the nucleus by index until it returns true.
template <class Visit>
void for_each_of(const Nucleus& nucleus, std::span<const float> logits, const Sorted& sorted,
                 Visit visit) {
  std::size_t ties = 0;
  for (std::size_t v = 0; v < logits.size(); ++v) {
    if (logits[v] == -infinity) continue;
    const int d = sorted.depth(logits[v]);
    if (d < nucleus.depth || (d == nucleus.depth && ties++ < nucleus.ties))
      if (visit(v, weight(d))) return;
  }
}

End walk(const Nucleus& nucleus, std::span<const float> logits, const Sorted& sorted,
         double bound) {
  End end{};
  std::size_t seen = 0;
  for_each_of(nucleus, logits, sorted, [&](std::size_t v, double w) {
    end = {v, end.upto, end.upto + w, seen == 0, seen + 1 == nucleus.tokens};
    ++seen;
    return end.upto > bound;
  });
  return end;
}

// The sum of a row in floats errs by less than this share of it (a serial sum of 131072 normal
// logits with deviation 3: 1.9e-4, of 1000: 1e-6).
double margin(std::size_t vocab) {
  return std::max(std::ldexp(1.0, -16), std::ldexp(static_cast<double>(vocab), -28));
}

// Whether the walk ends at the same token in floats, too: whatever such sums make of p and of the
// bound. No sum errs for a bound of 0. The first token of a nucleus has nothing before it, and the
// last one is the result even if no running sum is above the bound.
bool is_certain(const Row& row, const Sorted& sorted) {
  const double eps = margin(row.logits.size());
  std::optional<std::size_t> token;
  for (const double p : {row.p - eps, double{row.p}, row.p + eps}) {
    const Nucleus nucleus = sorted.nucleus(std::clamp(p, 1e-9, 1.0));
    const double bound = double{row.uniform} * nucleus.weight, room = 3 * eps * nucleus.weight;
    const End end = walk(nucleus, row.logits, sorted, bound);
    if (token && *token != end.token) return false;
    token = end.token;
    if (row.uniform == 0) continue;
    if (!end.is_first && bound - end.before < room) return false;
    if (!end.is_last && end.upto - bound < room) return false;
  }
  return true;
}

float rounded(double logit) {
  return static_cast<float>(std::round(logit * steps) / steps);
}

// Sixteen tokens that have half of the weight together: without them, no token of a long row is
// heavy enough to be drawn beyond doubt.
void add_heavy(std::span<float> logits, const Random& random) {
  double sum = 0;
  for (const float l : logits) sum += std::exp(double{l});
  for (std::size_t i = 0; i < 16 && logits.size() > 512; ++i) {
    const double share = std::log(sum / 16) + random.stream(1).uniform(i) - 0.5;
    logits[random.stream(2).below(i, logits.size())] = rounded(share);
  }
}

/// Of a row's logits.
enum class Form {
  normal,
  equal,
  few_values,
  one_dominant,
  one_finite,
  a_third_finite,
  at_the_end,
  bare_ends,
  tail,
  count
};

void draw_logits(std::span<float> logits, Form form, const Random& random) {
  const std::size_t vocab = logits.size(), special = random.below(0, vocab);
  const bool has_many = form == Form::normal || form == Form::bare_ends;
  for (std::size_t v = 0; v < vocab; ++v) {
    double l = (has_many ? 3 : 1) * random.stream(3).normal(v);
    if (form == Form::equal) l = 0;
    if (form == Form::few_values) l = static_cast<double>(random.stream(3).below(v, 4)) / 2;
    if (form == Form::one_dominant && v == special) l = 30;
    if (form == Form::tail) l = v == special ? 16.5 : 0;
    if (form == Form::one_finite && v != special) l = -INFINITY;
    if (form == Form::a_third_finite && v != special && random.stream(4).below(v, 3) > 0)
      l = -INFINITY;
    if (form == Form::at_the_end && v + 4 >= vocab) l += 12;
    logits[v] = rounded(l);
  }
  if (form == Form::equal || form == Form::few_values) add_heavy(logits, random);
  if (form == Form::bare_ends) {  // and a heavy token before the bare end
    const std::size_t bare = vocab / 5, last = vocab - bare - 1;
    logits[last] = *std::ranges::max_element(logits);
    for (std::size_t v = 0; v < bare; ++v) {
      logits[v] -= 40;
      logits[vocab - 1 - v] = v % 2 == 0 ? -infinity : -40;
    }
  }
}

// The number that draws the token: 0, the largest below 1, or the middle of a heavy token.
float draw_number(const Row& row, const Sorted& sorted, std::size_t kind, const Random& random) {
  if (kind == 0) return 0;
  if (kind == 1) return 1 - std::ldexp(1.0f, -24);
  const Nucleus nucleus = sorted.nucleus(row.p);
  std::vector<double> middles;
  double running = 0;
  for_each_of(nucleus, row.logits, sorted, [&](std::size_t, double w) {
    if (w > 8 * margin(row.logits.size()) * nucleus.weight) middles.push_back(running + w / 2);
    running += w;
    return false;
  });
  if (middles.empty()) return 0;
  return static_cast<float>(middles[random.below(0, middles.size())] / nucleus.weight);
}

// One try. Nothing if the token is not certain.
std::optional<Row> draw_row(std::span<float> logits, std::size_t kind, const Random& random) {
  constexpr auto forms = static_cast<std::size_t>(Form::count);
  draw_logits(logits, static_cast<Form>(kind % forms), random);
  const float shift = kind % 3 == 0 ? 0.0f : kind % 3 == 1 ? 150.0f : -120.0f;
  for (float& l : logits) l = std::min(l, 45.0f) + shift;
  const double any = 0.02 + 0.97 * random.uniform(1);
  const double shares[] = {1, 1e-6, 0.1, 0.5, 0.9, 0.95, any};
  Row row{logits, static_cast<float>(shares[kind % 7]), 0};
  const Sorted sorted(logits);
  if (kind % forms == static_cast<std::size_t>(Form::tail)) {
    // Half of the tokens that have next to no weight each are in, and the first of them is drawn.
    const double rest = 1 - weight(0) / sorted.sum();
    row.p = static_cast<float>(1 - rest / 2);
    kind = 0;
  }
  row.uniform = draw_number(row, sorted, kind % 5, random.stream(5));
  return is_certain(row, sorted) ? std::optional(row) : std::nullopt;
}

void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const std::size_t rows = one_case.shape[0], vocab = one_case.shape[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<float> logits = inputs[0].as<float>().subspan(r * vocab, vocab);
    const std::size_t kind = random.below(rows, 2520) + r;
    std::optional<Row> row;
    for (std::size_t attempt = 0; attempt < 64 && !row; ++attempt)
      // A row without a certain token is drawn again, and another kind comes up.
      row = draw_row(logits, kind + 11 * attempt, random.stream(r).stream(attempt));
    if (!row) throw ProblemFault("no certain token in 64 attempts");
    inputs[1].as<float>()[r] = row->p;
    inputs[2].as<float>()[r] = row->uniform;
  }
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool leaves_crossing = false;  ///< the token that crosses p S is not in
  bool takes_ties = false;       ///< every token as likely as the crossing one is in
  bool last_ties = false;        ///< of tokens as likely as the crossing one, the last ones are in
  bool by_weight = false;        ///< the walk goes from the most likely token down
  bool is_whole = false;         ///< the nucleus is the whole row
  double (*bound)(double uniform, double p, double sum, double nucleus) = nullptr;
};

std::size_t token_of(const Row& row, const Formula& formula) {
  const Sorted sorted(row.logits);
  Nucleus nucleus = sorted.nucleus(formula.is_whole ? 1 : double{row.p});
  const double w = weight(nucleus.depth);
  std::size_t taken = nucleus.ties, passed_over = 0;
  if (formula.leaves_crossing) --taken;
  if (formula.takes_ties) taken = nucleus.equal;
  if (formula.last_ties) passed_over = nucleus.equal - taken;
  nucleus.weight += w * (static_cast<double>(taken) - static_cast<double>(nucleus.ties));
  nucleus.ties = passed_over + taken;
  std::vector<std::pair<std::size_t, double>> tokens;
  for_each_of(nucleus, row.logits, sorted, [&](std::size_t v, double its) {
    const bool is_tie = sorted.depth(row.logits[v]) == nucleus.depth;
    if (!is_tie || passed_over == 0) tokens.emplace_back(v, its);
    if (is_tie && passed_over > 0) --passed_over;
    return false;
  });
  if (formula.by_weight)
    std::ranges::stable_sort(tokens,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
  const double bound = formula.bound
                           ? formula.bound(row.uniform, row.p, sorted.sum(), nucleus.weight)
                           : double{row.uniform} * nucleus.weight;
  double running = 0;
  for (const auto& [v, its] : tokens) {
    running += its;
    if (running > bound) return v;
  }
  return tokens.empty() ? 0 : tokens.back().first;
}

Outputs sample(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::size_t vocab = one_case.shape[1];
  Expected token;  // exact
  for (std::size_t r = 0; r < inputs[1].size(); ++r) {
    const Row row{inputs[0].as<float>().subspan(r * vocab, vocab), inputs[1].as<float>()[r],
                  inputs[2].as<float>()[r]};
    token.value.push_back(static_cast<double>(token_of(row, formula)));
  }
  return {token};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return sample(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return sample(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"if the token that crosses p were left out", instead({.leaves_crossing = true})},
    {"if all tokens as likely as the crossing one were in", instead({.takes_ties = true})},
    {"if of equally likely tokens the last ones were in", instead({.last_ties = true})},
    {"if the walk went from the most likely token down", instead({.by_weight = true})},
    {"if the nucleus were the whole row", instead({.is_whole = true})},
    {"if the bound were uniform times the sum of the row",
     instead({.bound = [](double u, double, double sum, double) { return u * sum; }})},
    {"if the bound were uniform p times the sum of the row",
     instead({.bound = [](double u, double p, double sum, double) { return u * p * sum; }})},
};

Cost cost(const Shape& shape) {
  const double rows = shape[0], vocab = shape[1];
  return {.bytes_read = 4 * rows * vocab + 8 * rows,
          .bytes_written = 4 * rows,
          .operations = 3 * rows * vocab};
}

// The token is exact. A float's sum of a row may err, so p and the number are drawn until neither
// can change the token.
REGISTER_PROBLEM({
    .name = "top_p_sampling",
    .summary = "one token of each row, drawn from the most likely ones that have p of the weight",
    .frequency = "high",
    .difficulty = "hard",
    .selects = true,
    .signature = signature(input<float>("logits", dims<0, 1>), input<float>("p", dims<0>),
                           input<float>("uniform", dims<0>), output<int>("token", dims<0>),
                           integer("rows", 1, 1 << 17), integer("vocab", 1, 262144)),
    .cases = {{{1, 1}},
              {{40, 2}},
              {{40, 31}},
              {{40, 32}},
              {{60, 33}},
              {{300, 3}},
              {{24, 1000}},
              {{8, 4099}},
              {{2, 50257}},
              {{1, 131073}}},
    .large_cases = {{{16, 32000}}, {{4, 131073}}, {{1, 262144}}},
    .bench_shapes = {{128, 128256}, {64, 131072}, {8, 131072}, {256, 32000}},
    .drawn_values = {Values::normal, Values::normal, Values::normal},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::top_p_sampling

// moe_gate: for each token the k experts with the largest logits, in descending order, of equal
// ones the lower index first; their weights are the softmax of these k logits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/spec/problem.h"

namespace kata::problem::moe_gate {

// Of each sixteen tokens, seven have logits at which a selection or an exponential goes wrong. They
// are, by number: all equal; four different numbers; zeros of both signs; one 0 and others whose
// exponential underflows; neighbouring floats near 0.01; the lowest float and others below -1e30;
// above 100. The uniform ones of a benchmark are left as they are.
void draw_token(std::span<float> logits, std::size_t kind, const Random& random) {
  for (std::size_t e = 0; e < logits.size(); ++e) {
    float& logit = logits[e];
    switch (kind) {
      case 1:
        logit = -2;
        break;
      case 2:
        logit = static_cast<float>(random.below(e, 4));
        break;
      case 3:
        logit = random.below(e, 2) ? 0.0f : -0.0f;
        break;
      case 4:
        logit = e == logits.size() / 3 ? 0 : -104 - std::fabs(logit);
        break;
      case 5:
        logit = 0.01f + std::ldexp(static_cast<float>(random.below(e, 1024)), -30);
        break;
      case 6:
        logit = e % 2 ? -std::numeric_limits<float>::max() : -1e30f - 1e28f * std::fabs(logit);
        break;
      case 7:
        logit = 100 + std::fabs(logit);
        break;
      default:
        break;
    }
  }
}

void draw_logits(Array& logits, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(logits, one_case, random);
  if (one_case.values == Values::uniform) return;
  const std::size_t experts = one_case.shape[1];
  for (std::size_t token = 0; token * experts < logits.size(); ++token) {
    draw_token(logits.as<float>().subspan(token * experts, experts), token % 16,
               random.stream(token));
  }
}

// Errors of a right kernel in units of u = 2^-24, with d = logit - largest logit:
//   exp(d)    |d| from rounding d, and 4 + 2.35 |d| of __expf, which is off by 2 + 1.173 |d| ulp
//   sum       k + 1 for the additions, and about 6 for its exponentials: those with a large |d|
//             count little in it
//   quotient  4, with fast division
double tolerance(double d, double weight, int k) {
  return std::ldexp(weight * (16 + k + 3.5 * std::fabs(d)), -24) + std::ldexp(1.0, -126);
}

Outputs gate(const Inputs& inputs, const Case& one_case, bool lower_first) {
  const std::span<const float> logits = inputs[0].as<float>();
  const std::size_t experts = one_case.shape[1];
  const int k = one_case.shape[2];
  Expected weight, expert;  // expert is exact
  std::vector<std::size_t> order(experts);
  for (std::size_t first = 0; first < logits.size(); first += experts) {
    const std::span<const float> token = logits.subspan(first, experts);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(
        order.begin(), order.begin() + k, order.end(), [&](std::size_t a, std::size_t b) {
          return token[a] > token[b] || (token[a] == token[b] && (a < b) == lower_first && a != b);
        });
    const double largest = token[order[0]];
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += std::exp(token[order[i]] - largest);
    for (int i = 0; i < k; ++i) {
      const double d = token[order[i]] - largest;
      weight.value.push_back(std::exp(d) / sum);
      weight.tolerance.push_back(tolerance(d, weight.value.back(), k));
      expert.value.push_back(static_cast<double>(order[i]));
    }
  }
  return {weight, expert};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return gate(inputs, one_case, true);
}

const std::vector<Mistake> mistakes{
    {"if of equal logits the higher expert came first",
     [](const Inputs& inputs, const Case& one_case) { return gate(inputs, one_case, false); }},
};

// A comparison per logit; a difference, an exponential, a sum and a quotient per chosen one.
Cost cost(const Shape& shape) {
  const double tokens = shape[0], experts = shape[1], k = shape[2];
  return {.bytes_read = 4 * tokens * experts,
          .bytes_written = 8 * tokens * k,
          .operations = tokens * (experts + 4 * k)};
}

REGISTER_PROBLEM({
    .name = "moe_gate",
    .summary = "the k best experts of each token, and their weights",
    .frequency = "medium",
    .difficulty = "medium",
    .selects = true,
    .signature = signature(input<float>("logits", dims<0, 1>, draw_logits),
                           output<float>("weight", dims<0, 2>), output<int>("expert", dims<0, 2>),
                           integer("tokens", 1, 1 << 20), integer("experts", 1, 2048),
                           integer("k", 1, 64)),
    .limits = {"1 <= k <= experts",
               [](Shape shape) -> Shape {
                 for (int& size : shape) size = std::max(size, 1);
                 return {shape[0], shape[1], std::min(shape[2], shape[1])};
               }},
    .cases = {{{1, 1, 1}},
              {{8, 2, 2}},
              {{8, 8, 2}},
              {{19, 31, 6}},
              {{9, 64, 64}},  // k = experts
              {{131, 64, 8}, Values::few_distinct},
              {{8, 160, 6}, Values::all_negative},
              {{21, 256, 8}},
              {{9, 512, 10}, Values::descending},
              {{8, 1100, 3}, Values::sorted}},
    .large_cases = {{{70001, 8, 2}},  // more tokens than gridDim.y has
                    {{4097, 256, 8}},
                    {{1025, 384, 8}, Values::few_distinct}},
    .bench_shapes = {{16384, 256, 8}, {16384, 64, 8}, {16384, 512, 10}, {256, 128, 8}},
    .drawn_values = {Values::normal, Values::few_distinct, Values::large_magnitude},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::moe_gate

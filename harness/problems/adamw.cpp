// adamw: one step of Adam with decoupled weight decay (Loshchilov and Hutter, Decoupled Weight
// Decay Regularization, ICLR 2019), element by element:
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = p - lr weight_decay p - lr mhat / (sqrt(vhat) + eps)
// with mhat = m / (1 - beta1^step) and vhat = v / (1 - beta2^step).
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::adamw {

// The state before step 1 is 0. Elsewhere, where there is room, four elements are set to values at
// which a formula goes wrong: nothing but zeros, a gradient whose square underflows, a large one,
// and terms of m that cancel with beta1 = 0.9.
constexpr std::size_t zero = 10, tiny = 20, large = 30, cancels = 40;

void draw_gradient(Array& g, const Case& one_case, const Random& random) {
  draw::as_the_case_says()(g, one_case, random);
  if (g.size() < 100) return;
  g.set(zero, 0);
  g.set(tiny, 1e-25);
  g.set(large, 1e15);
  g.set(cancels, 0.9);
}

bool is_first_step(const Case& one_case) {
  return one_case.shape[1] == 1;
}

void draw_m(Array& m, const Case& one_case, const Random& random) {
  if (is_first_step(one_case)) return;
  draw::as_the_case_says()(m, one_case, random);
  if (m.size() < 100) return;
  m.set(zero, 0);
  m.set(tiny, 0);
  m.set(cancels, -0.1);
}

void draw_v(Array& v, const Case& one_case, const Random& random) {
  if (is_first_step(one_case)) return;
  draw::positive()(v, one_case, random);
  if (v.size() < 100) return;
  v.set(zero, 0);
  v.set(tiny, 0);
}

// Errors of a right kernel, with u = 2^-24 and the magnitudes of the exact terms:
//   m     4 u of each term: two products, a sum, and one more rounding in the form m + (1 - beta1)
//         (g - m), which needs m itself and not beta1 m
//   v     4 u relative; a square below 2^-126 may be flushed to 0
//   powf  is off by 4 ulp, at most u each below 1: 4 u / (1 - beta^step) in the correction, half of
//         it after the square root
//   p     4 u |p| and 4 u |decay|: products, differences, and 1 - lr weight_decay where p is
//         multiplied by that; 16 u of the update: v, fast square root, fast division, products
struct Tolerance {
  double m, v, p;
};
Tolerance tolerance(double g, double m, double v, double decay, double p, double update,
                    double denominator, double lr, double beta1, double correction1,
                    double correction2) {
  const double u = std::ldexp(1.0, -24), smallest = std::ldexp(1.0, -126);
  const double of_m = 4 * u * (std::fabs(m) + std::fabs((1 - beta1) * g)) + smallest;
  const double of_v = 4 * u * v + 2 * smallest;
  const double relative = 16 * u + 4 * u / correction1 + 2 * u / correction2;
  const double of_p = 4 * u * (std::fabs(p) + std::fabs(decay)) + relative * std::fabs(update) +
                      lr * of_m / (correction1 * denominator) + smallest;
  return {of_m, of_v, of_p};
}

/// What varies between the operator and what is taken for it.
struct Formula {
  bool corrects_m = true, corrects_v = true;
  bool eps_in_root = false;
  bool decay_in_gradient = false;  ///< as in Adam with L2 regularisation
};

Outputs one_step(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::span<const float> p = inputs[0].as<float>(), g = inputs[1].as<float>();
  const std::span<const float> m = inputs[2].as<float>(), v = inputs[3].as<float>();
  const double lr = one_case.reals[0], beta1 = one_case.reals[1], beta2 = one_case.reals[2];
  const double eps = one_case.reals[3], weight_decay = one_case.reals[4];
  const int step = one_case.shape[1];
  const double correction1 = formula.corrects_m ? 1 - std::pow(beta1, step) : 1;
  const double correction2 = formula.corrects_v ? 1 - std::pow(beta2, step) : 1;
  const std::size_t n = p.size();
  const Expected blank{.value = std::vector<double>(n), .tolerance = std::vector<double>(n)};
  Expected new_p = blank, new_m = blank, new_v = blank;
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = g[i] + (formula.decay_in_gradient ? weight_decay * p[i] : 0);
    new_m.value[i] = beta1 * m[i] + (1 - beta1) * slope;
    new_v.value[i] = beta2 * v[i] + (1 - beta2) * slope * slope;
    const double corrected = new_v.value[i] / correction2;
    const double denominator =
        formula.eps_in_root ? std::sqrt(corrected + eps) : std::sqrt(corrected) + eps;
    const double update = lr * new_m.value[i] / correction1 / denominator;
    const double decay = formula.decay_in_gradient ? 0 : lr * weight_decay * p[i];
    new_p.value[i] = p[i] - decay - update;
    const Tolerance allowed = tolerance(g[i], m[i], new_v.value[i], decay, p[i], update,
                                        denominator, lr, beta1, correction1, correction2);
    new_m.tolerance[i] = allowed.m;
    new_v.tolerance[i] = allowed.v;
    new_p.tolerance[i] = allowed.p;
  }
  return {new_p, new_m, new_v};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return one_step(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return one_step(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"without the bias corrections", instead({.corrects_m = false, .corrects_v = false})},
    {"without the bias correction of m", instead({.corrects_m = false})},
    {"without the bias correction of v", instead({.corrects_v = false})},
    {"with eps inside the square root", instead({.eps_in_root = true})},
    {"if weight_decay * parameter were added to the gradient (L2, not decoupled)",
     instead({.decay_in_gradient = true})},
};

// Four arrays are read and three are written. Three operations for m, four for v, six for p.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 16 * n, .bytes_written = 12 * n, .operations = 13 * n};
}

REGISTER_PROBLEM({
    .name = "adamw",
    .summary = "one step of AdamW",
    .frequency = "medium",
    .difficulty = "easy",
    .signature = signature(in_out<float>("parameter", dims<0>),
                           input<float>("gradient", dims<0>, draw_gradient),
                           in_out<float>("m", dims<0>, draw_m), in_out<float>("v", dims<0>, draw_v),
                           integer("n", 1, 1 << 28), real("lr", 1e-3f), real("beta1", 0.9f),
                           real("beta2", 0.999f), real("eps", 1e-8f), real("weight_decay", 0.01f),
                           integer("step", 1, 100000)),
    .cases = {{{1, 1}},
              {{5, 2}, Values::normal, {0.1f, 0.9f, 0.9999f, 1e-8f, 0}},
              {{259, 1}, Values::normal, {0.01f, 0.9f, 0.999f, 1e-8f, 0.1f}},
              {{130, 7}, Values::normal, {0, 0.9f, 0.99f, 1e-8f, 0.1f}},    // lr = 0: p stays
              {{1030, 4}, Values::normal, {0.1f, 1e-4f, 1e-4f, 1e-8f, 0}},  // what was is forgotten
              {{1027, 3}, Values::outliers, {0.5f, 0.8f, 0.99f, 0.25f, 0.5f}},
              {{4097, 100000}, Values::large_magnitude},  // the corrections are 1
              {{40003, 100}}},
    .large_cases = {{{(1 << 20) + 3, 1000}, Values::outliers}, {{(1 << 22) + 1, 10}}},
    .bench_shapes = {{1 << 26, 1000}, {1 << 24, 1000}, {1 << 20, 1000}},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::adamw

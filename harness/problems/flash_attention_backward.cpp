// flash_attention_backward: the gradients of flash_attention by Q, K and V for each head of each
// sequence, in half. dO is the gradient by O; lse is the logarithm of the sum of exp(score) over
// the keys that a query sees, and O and lse are those of the forward pass.
//
// P_ij = exp(s_ij - lse_i), s_ij = scale q_i . k_j, scale = 1 / sqrt(dim), D_i = dO_i . O_i,
// dS_ij = P_ij (dO_i . v_j - D_i); dV_j = sum_i P_ij dO_i, dQ_i = scale sum_j dS_ij k_j and dK_j =
// scale sum_i dS_ij q_i.
#include <algorithm>
#include <array>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::flash_attention_backward {

/// Not 1000 times as large: the products dS must fit into a half.
Draw moderate(double large) {
  return [large](Array& x, const Case& one_case, const Random& random) {
    draw::mild_outliers()(x, one_case, random);
    if (one_case.values != Values::large_magnitude) return;
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x[i] * large / 100);
  };
}

std::size_t visible_keys(std::size_t query, std::size_t length, bool causal) {
  return causal ? query + 1 : length;
}

// About what it is for normal Q and K. arrange() computes it, and O, where there is time for that.
void draw_lse(Array& lse, const Case& one_case, const Random& random) {
  const std::size_t length = one_case.shape[2];
  for (std::size_t i = 0; i < lse.size(); ++i) {
    const auto keys = static_cast<double>(visible_keys(i % length, length, one_case.shape[4] != 0));
    lse.set(i, std::log(keys) + 0.5 + 0.1 * random.normal(i));
  }
}

/// One head, in doubles: [length, dim], but lse.
struct Head {
  std::vector<double> q, k, v, o, d_o, lse;
  std::size_t length, dim;
  bool causal;

  Head(const Inputs& inputs, const Shape& shape, std::size_t head)
      : length(shape[2]), dim(shape[3]), causal(shape[4] != 0) {
    const auto doubles = [&](std::size_t i) {
      const auto x = inputs[i].as<Half>().subspan(head * length * dim, length * dim);
      return std::vector<double>(x.begin(), x.end());
    };
    q = doubles(0), k = doubles(1), v = doubles(2), o = doubles(3), d_o = doubles(4);
    const auto of_head = inputs[5].as<float>().subspan(head * length, length);
    lse.assign(of_head.begin(), of_head.end());
  }
  const double* row(const std::vector<double>& x, std::size_t i) const { return &x[i * dim]; }
};

/// x . y, and the sum of the sizes of the products.
struct Product {
  double sum = 0, sizes = 0;

  // In several sums, which do not wait for each other.
  Product(const double* x, const double* y, std::size_t dim) {
    constexpr std::size_t sums = 8;  // divides dim
    std::array<double, sums> of_products{}, of_sizes{};
    for (std::size_t c = 0; c < dim; c += sums) {
      for (std::size_t i = 0; i < sums; ++i) {
        const double term = x[c + i] * y[c + i];
        of_products[i] += term;
        of_sizes[i] += std::abs(term);
      }
    }
    for (std::size_t i = 0; i < sums; ++i) {
      sum += of_products[i];
      sizes += of_sizes[i];
    }
  }
};

double scale_of(std::size_t dim) {
  return 1 / std::sqrt(static_cast<double>(dim));
}

// What the forward pass leaves: O and lse.
void attend(const Head& head, std::span<Half> o, std::span<float> lse) {
  std::vector<double> p(head.length), sums(head.dim);
  for (std::size_t i = 0; i < head.length; ++i) {
    const std::size_t keys = visible_keys(i, head.length, head.causal);
    double max = -HUGE_VAL, sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      p[j] = scale_of(head.dim) * Product(head.row(head.q, i), head.row(head.k, j), head.dim).sum;
      max = std::max(max, p[j]);
    }
    for (std::size_t j = 0; j < keys; ++j) sum += p[j] = std::exp(p[j] - max);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t j = 0; j < keys; ++j)
      for (std::size_t c = 0; c < head.dim; ++c) sums[c] += p[j] * head.row(head.v, j)[c];
    for (std::size_t c = 0; c < head.dim; ++c) o[i * head.dim + c] = Half(sums[c] / sum);
    lse[i] = static_cast<float>(max + std::log(sum));
  }
}

// In a case of large magnitude, scores reach 100, so that exp() without lse overflows; every other
// head has equal keys and scores near -1000, where exp(-lse), of a key past the end, is infinite,
// and values near 90, of which the products with dO are beyond half; and each third query's result
// counts for nothing. In each fourth head, from the third on, queries are so small that a half
// loses bits of an eighth of them, and gradients large enough for that to show in dK.
void exaggerate(Inputs& inputs, const Case& one_case) {
  if (one_case.values != Values::large_magnitude) return;
  const std::size_t length = one_case.shape[2], dim = one_case.shape[3];
  const std::span<Half> q = inputs[0].as<Half>(), k = inputs[1].as<Half>();
  const std::span<Half> v = inputs[2].as<Half>(), d_o = inputs[4].as<Half>();
  constexpr double large = 11, of_values = 90, of_gradients = 800;
  constexpr double small = 0x1p-17, of_small = 100;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i / (length * dim) % 2 == 1) {
      k[i] = Half(-large);
      q[i] = Half(large + q[i] / 6);
      v[i] = Half(of_values + v[i]);
      d_o[i] = Half(std::copysign(of_gradients, static_cast<double>(d_o[i])));
    }
    if (i / (length * dim) % 4 == 2) {
      q[i] = Half(small * q[i]);
      v[i] = Half(v[i] * 10);
      d_o[i] = Half(std::copysign(of_small, static_cast<double>(d_o[i])));
    }
    if (i / dim % 3 == 1) d_o[i] = Half(0.0);
  }
}

// Larger sizes are timed, or sampled: there lse stays about right, and O any numbers.
void arrange(Inputs& inputs, const Case& one_case, const Random&) {
  constexpr double most_products = 2e9;
  exaggerate(inputs, one_case);
  const Shape& shape = one_case.shape;
  const std::size_t length = shape[2], size = length * shape[3], heads = inputs[0].size() / size;
  if (static_cast<double>(heads * size) * static_cast<double>(length) > most_products) return;
  for (std::size_t head = 0; head < heads; ++head) {
    attend(Head(inputs, shape, head), inputs[3].as<Half>().subspan(head * size, size),
           inputs[5].as<float>().subspan(head * length, length));
  }
}

/// What varies between the operator and what is taken for it.
struct Formula {
  std::size_t (*keys)(std::size_t query, std::size_t length, bool causal) = visible_keys;
  double scale = 0;           ///< 0 means 1 / sqrt(dim)
  double gradient_power = 1;  ///< of the scale by which dQ and dK are multiplied
  double value_power = 0;     ///< of the scale by which dV is multiplied
  double of_D = 1;            ///< the factor of D in dS
  double of_lse = 1;
  double base = 2.718281828459045;  ///< of the exponential
  bool of_own_head = true;          ///< false: all heads use the lse of head 0
  bool transposed = true;           ///< false: P for dV, and dS for dK, are not
};

/// A gradient, and how far off it may be: linear + root of the squares.
struct Sums {
  std::vector<double> value, linear, squares;

  explicit Sums(std::size_t size) : value(size), linear(size), squares(size) {}
};

/// sums[at ...] += weight x, whose weight errs by `error` each time, and apart from others by the
/// root of `square`.
void add(Sums& sums, std::size_t at, const double* x, std::size_t dim, double weight, double error,
         double square) {
  for (std::size_t c = 0; c < dim; ++c) {
    sums.value[at + c] += weight * x[c];
    sums.linear[at + c] += error * std::abs(x[c]);
    sums.squares[at + c] += square * x[c] * x[c];
  }
}

// Errors of a right kernel, with u = 2^-24 and h = 2^-11. Sums are float; tensor cores truncate
// sums of 16 products, 2 u at a time: a sum over n is off by t(n) = (n / 16 + 8) 2 u of its terms'
// sizes.
//
//   P     relative: e = scale t(dim) sum |q k| + u (4 + 3.5 |s - lse| + 2 |s| + 4 |lse|), for the
//         score, the exponential (softmax_tolerance.h) and the difference, also if it is scaled by
//         log2 e.
//   D     Of the rounded O, or the sum of P dP: they differ by sum P dP - D, and the products
//         with a rounded O or P by dD = h (4 sqrt(sum (dO O)^2) + |D|). One number for a row.
//   dS    E = (P e + min(P, 2^-25)) |dP - D| + P (t(dim) sum |dO v| + 2 u (|dP| + |D|)): P may have
//         been rounded to half, which loses it below 2^-25.
//   dV    P e |dO| each, and t(length). As an operand P may be rounded to half: h (4 sqrt(sum (P
//         dO)^2) + |dV|), and min(P, 2^-25) |dO| where it is subnormal.
//   dQ    The same with E, dS and k for P e, P and dO. The error of D multiplies the sum of P k.
//   dK    The same with q, but for D: rows err apart, so that these add up like a root.
class Row {
 public:
  Row(const Head& head, std::size_t i, const Formula& formula, double lse)
      : head_(head),
        scale_(formula.scale > 0 ? formula.scale : scale_of(head.dim)),
        keys_(std::min(formula.keys(i, head.length, head.causal), head.length)) {
    const double* d_o = head.row(head.d_o, i);
    const double* o = head.row(head.o, i);
    double squares = 0, recomputed = 0;
    D_ = Product(d_o, o, head.dim).sum;
    for (std::size_t c = 0; c < head.dim; ++c) squares += d_o[c] * o[c] * d_o[c] * o[c];
    for (std::size_t j = 0; j < keys_; ++j) {
      const Product qk(head.row(head.q, i), head.row(head.k, j), head.dim);
      const Product dp(d_o, head.row(head.v, j), head.dim);
      const double s = scale_ * qk.sum;
      const double p = std::pow(formula.base, s - formula.of_lse * lse);
      const double e = scale_ * truncated(head.dim) * qk.sizes +
                       u * (4 + 3.5 * std::abs(s - lse) + 2 * std::abs(s) + 4 * std::abs(lse));
      const double off = dp.sum - formula.of_D * D_;
      P.push_back(p);
      P_error.push_back(p * e);
      dS.push_back(p * off);
      dS_error.push_back(
          (p * e + std::min(p, lost)) * std::abs(off) +
          p * (truncated(head.dim) * dp.sizes + 2 * u * (std::abs(dp.sum) + std::abs(D_))));
      recomputed += p * dp.sum;
    }
    D_error_ = h * (4 * std::sqrt(squares) + std::abs(D_)) + std::abs(recomputed - D_);
  }

  std::size_t keys() const { return keys_; }
  double scale() const { return scale_; }
  double D_error() const { return D_error_; }

  /// Of a weight that is rounded to half and multiplies one of head.length terms.
  double operand_error(double weight) const {
    return std::min(std::abs(weight), lost) + truncated(head_.length) * std::abs(weight);
  }

  static constexpr double u = 0x1p-24, h = 0x1p-11, lost = 0x1p-25;

  std::vector<double> P, P_error, dS, dS_error;

 private:
  static double truncated(std::size_t n) { return (static_cast<double>(n) / 16 + 8) * 2 * u; }

  const Head& head_;
  double scale_, D_ = 0, D_error_ = 0;
  std::size_t keys_;
};

double square(double x) {
  return x * x;
}

/// The gradients of a head, into the outputs from `at` on.
void differentiate(const Head& head, const Formula& formula, const std::vector<double>& lse,
                   Outputs& outputs, std::size_t at) {
  const std::size_t dim = head.dim;
  Sums dQ(head.q.size()), dK(head.q.size()), dV(head.q.size());
  std::vector<double> Pk(head.q.size());
  double scale = 1;
  for (std::size_t i = 0; i < head.length; ++i) {
    const Row row(head, i, formula, lse[i]);
    scale = row.scale();
    for (std::size_t j = 0; j < row.keys(); ++j) {
      const double P = row.P[j], dS = row.dS[j];
      const std::size_t key = formula.transposed ? j : i, query = formula.transposed ? i : j;
      add(dV, key * dim, head.row(head.d_o, query), dim, P, row.P_error[j] + row.operand_error(P),
          square(4 * Row::h * P));
      add(dQ, i * dim, head.row(head.k, j), dim, dS, row.dS_error[j] + row.operand_error(dS),
          square(4 * Row::h * dS));
      add(dK, key * dim, head.row(head.q, query), dim, dS, row.dS_error[j] + row.operand_error(dS),
          square(4 * Row::h * dS) + square(P * row.D_error()));
      for (std::size_t c = 0; c < dim; ++c) Pk[i * dim + c] += P * head.row(head.k, j)[c];
    }
    for (std::size_t c = 0; c < dim; ++c)
      dQ.linear[i * dim + c] += row.D_error() * std::abs(Pk[i * dim + c]);
  }
  const Sums* const all[] = {&dQ, &dK, &dV};
  for (std::size_t n = 0; n < 3; ++n) {
    const double factor = std::pow(scale, n < 2 ? formula.gradient_power : formula.value_power);
    for (std::size_t x = 0; x < head.q.size(); ++x) {
      const double value = factor * all[n]->value[x];
      const double tolerance = factor * (all[n]->linear[x] + std::sqrt(all[n]->squares[x]) +
                                         Row::h * std::abs(all[n]->value[x]));
      outputs[n].value[at + x] = value;
      outputs[n].tolerance[at + x] =
          tolerance + rounding(Type::f16, std::abs(value) + tolerance) + Row::lost;
    }
  }
}

Outputs gradients(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::size_t count = inputs[0].size();
  const Expected zeros{.value = std::vector<double>(count),
                       .tolerance = std::vector<double>(count)};
  Outputs outputs{zeros, zeros, zeros};
  const std::size_t size = static_cast<std::size_t>(one_case.shape[2]) * one_case.shape[3];
  const std::vector<double> of_first = Head(inputs, one_case.shape, 0).lse;
  for (std::size_t head = 0; head < count / size; ++head) {
    const Head one(inputs, one_case.shape, head);
    differentiate(one, formula, formula.of_own_head ? one.lse : of_first, outputs, head * size);
  }
  return outputs;
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return gradients(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return gradients(inputs, one_case, formula);
  };
}

const std::vector<Mistake> mistakes{
    {"without the factor 1 / sqrt(dim) of dQ and dK", instead({.gradient_power = 0})},
    {"if dQ and dK were divided by sqrt(dim) twice", instead({.gradient_power = 2})},
    {"if dV were divided by sqrt(dim), too", instead({.value_power = 1})},
    {"if the scores were not divided by sqrt(dim)", instead({.scale = 1})},
    {"if the scores were divided by sqrt(64) = 8, not by sqrt(dim)", instead({.scale = 0.125})},
    {"without D: dS = P dP", instead({.of_D = 0})},
    {"with dS = P (dP + D)", instead({.of_D = -1})},
    {"without lse: P = exp(score)", instead({.of_lse = 0})},
    {"with 2^x instead of e^x for P (exp2 needs a factor log2(e))", instead({.base = 2})},
    {"if lse were a logarithm to base 2", instead({.of_lse = 0.6931471805599453})},
    {"if all heads used the lse of head 0", instead({.of_own_head = false})},
    {"if P were not transposed for dV, and dS not for dK", instead({.transposed = false})},
    {"without the causal mask",
     instead({.keys = [](std::size_t, std::size_t length, bool) { return length; }})},
    {"with the causal mask, though causal is 0",
     instead({.keys = [](std::size_t query, std::size_t, bool) { return query + 1; }})},
    {"if query i saw the keys 0 to i + 1 (the mask is one too far)",
     instead({.keys = [](std::size_t query, std::size_t length,
                         bool causal) { return causal ? query + 2 : length; }})},
    {"if query i saw the keys 0 to i - 1 (the mask is one too short)",
     instead({.keys = [](std::size_t query, std::size_t length,
                         bool causal) { return causal ? query : length; }})},
};

// Five products: the scores and P again, dP, dV, dQ and dK. Causal: half of the operations.
Cost cost(const Shape& shape) {
  const double heads = static_cast<double>(shape[0]) * shape[1];
  const double length = shape[2], dim = shape[3];
  return {.bytes_read = heads * length * (10 * dim + 4),
          .bytes_written = 6 * heads * length * dim,
          .operations = 10 * heads * length * length * dim / (shape[4] != 0 ? 2 : 1),
          .unit = ArithmeticUnit::tensor_f16};
}

// The bound on the length keeps the reference, which takes length^2 dim steps, to seconds.
REGISTER_PROBLEM({
    .name = "flash_attention_backward",
    .summary = "the gradients of attention by Q, K and V, in half, with heads and a causal mask",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<Half>("Q", dims<0, 1, 2, 3>, moderate(6)),
                           input<Half>("K", dims<0, 1, 2, 3>, moderate(6)),
                           input<Half>("V", dims<0, 1, 2, 3>, moderate(1)),
                           input<Half>("O", dims<0, 1, 2, 3>, moderate(1)),
                           input<Half>("dO", dims<0, 1, 2, 3>, moderate(1)),
                           input<float>("lse", dims<0, 1, 2>, draw_lse),
                           output<Half>("dQ", dims<0, 1, 2, 3>),
                           output<Half>("dK", dims<0, 1, 2, 3>),
                           output<Half>("dV", dims<0, 1, 2, 3>), integer("batch", 1, 64),
                           integer("heads", 1, 128), integer("length", 1, 65535),
                           integer("dim", 64, 128), integer("causal", 0, 1)),
    .limits = {"length is at most 65535, dim is 64 or 128, causal is 0 or 1",
               [](Shape shape) -> Shape {
                 return {std::max(shape[0], 1), std::max(shape[1], 1),
                         std::clamp(shape[2], 1, 65535), shape[3] <= 64 ? 64 : 128, shape[4] & 1};
               }},
    .cases = {{{1, 1, 1, 64, 0}},
              {{2, 3, 15, 64, 1}},
              {{1, 3, 63, 64, 0}, Values::large_magnitude},
              {{1, 1, 65, 128, 1}, Values::sorted},
              {{1, 1, 129, 64, 1}},
              {{1, 1, 130, 64, 0}, Values::positive}},
    .large_cases = {{{2, 3, 200, 128, 1}},
                    {{1, 2, 257, 64, 0}, Values::sorted},
                    {{1, 1, 515, 128, 1}, Values::outliers}},
    .bench_shapes = {{4, 32, 1024, 128, 0},
                     {4, 32, 4096, 128, 0},
                     {4, 32, 4096, 128, 1},
                     {4, 32, 16384, 64, 1}},
    .drawn_values = {Values::normal, Values::outliers, Values::large_magnitude},
    .fewer_parts = [](Shape shape) -> Shape {
      constexpr int most = 140;  // more than two tiles of 64, or one of 128
      return {1 + shape[0] % 2, 1 + shape[1] % 3, 1 + (shape[2] - 1) % most, shape[3], shape[4]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::flash_attention_backward

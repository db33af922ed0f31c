// linear_attention: O_i = scale sum over j <= i of decay^(i - j) (q_i . k_j) v_j for each head of
// each sequence, in half, with scale = 1 / sqrt(dim); a head has one decay. All are [batch, heads,
// length, dim], decay is [heads]. The same as S_i = decay S_(i-1) + k_i v_i^T, O_i = scale q_i S_i.
#include <algorithm>
#include <array>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::linear_attention {

// How long a head remembers, in tokens: 10, 2, all, 1000, less than 1, 32, none. Neighbours differ.
// 0.9 is first: it shows an exponent that is off by one, which 1 hides.
void draw_decay(Array& decay, const Case&, const Random&) {
  constexpr std::array<double, 7> kinds{0.9, 0.5, 1, 0.999, 0.01, 1 - 1 / 32.0, 1e-6};
  for (std::size_t head = 0; head < decay.size(); ++head) {
    decay.set(head, kinds[head % kinds.size()]);
  }
}

// In a case of mostly zeros only the state speaks at the end: the last two thirds of the keys are
// 0, and so is the first third of the queries.
void silence(Inputs& inputs, const Case& one_case, const Random& random) {
  if (one_case.values != Values::mostly_zero) return;
  const std::size_t dim = one_case.shape[3], length = one_case.shape[2], third = length / 3;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::span<Half> x = inputs[i].as<Half>();
    const Random stream = random.stream(i);
    for (std::size_t n = 0; n < x.size(); ++n) {
      const std::size_t place = n / dim % length;
      const bool is_zero = (i == 0 && place < third) || (i == 1 && place > third);
      x[n] = Half(is_zero ? 0 : stream.normal(n));
    }
  }
}

// Of large magnitude are the scores alone: each key has the signs of its query, and the product of
// the two is beyond the largest half where the scale is not.
void align(Inputs& inputs, const Case& one_case) {
  if (one_case.values != Values::large_magnitude) return;
  constexpr float of_keys = 900, of_values = 1.0f / 1024;
  const std::span<Half> q = inputs[0].as<Half>(), k = inputs[1].as<Half>(),
                        v = inputs[2].as<Half>();
  for (std::size_t n = 0; n < k.size(); ++n) {
    k[n] = Half(std::copysign(of_keys, static_cast<float>(q[n])));
    q[n] = Half(std::copysign(2, static_cast<float>(q[n])));
    v[n] = Half(of_values * static_cast<float>(v[n]));
  }
}

void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  silence(inputs, one_case, random);
  align(inputs, one_case);
}

/// What varies between the operator and what is taken for it.
struct Formula {
  /// The power of the decay with which query i sees key j; negative: not at all.
  int (*exponent)(int i, int j) = [](int i, int j) { return i - j; };
  double scale = 0;  ///< 0 means 1 / sqrt(dim)
  std::size_t (*decay_of)(std::size_t head, std::size_t sequence) =
      [](std::size_t head, std::size_t) { return head; };
  bool is_mean = false;  ///< divided by the sum of the powers
};

/// One head, in doubles.
struct Head {
  std::vector<double> q, k, v;
  std::size_t length, dim;
  double scale;
  std::vector<double> powers;  ///< of the decay: 0 to length
};

// Errors of a right kernel, with u = 2^-24 and h = 2^-11. Sums and the state are float. With P_ij =
// scale decay^(i-j) (q_i . k_j), E the running maximum of |S| that decays like S, and A the sum of
// the sizes of all that is added up:
//
//   R     P, or a decayed q, k or v, is rounded to half: h P_ij v_j each, independently. 4 h
//         sqrt(R), with R the sum of (P_ij v_j)^2.
//   T     The state, and q, are rounded to half where they are multiplied: 4 h scale sqrt(2 T),
//   with
//         T the sum over c of (q_c E_c)^2.
//   o     2 h |o|: both errors where one term is nearly all, and the rounding of the result.
//   A     Sums in float, which tensor cores truncate: (4 + sqrt(length) / 4) u A.
//   tiny  What is below half's normal numbers errs by 2^-25 instead, and multiplies v, or q and v.
class Row {
 public:
  Row(const Head& head, int i) : head_(head), i_(i), q_(&head.q[i * head.dim]) {}

  void add(int j, double weight) {
    const double* k = &head_.k[j * head_.dim];
    const double* v = &head_.v[j * head_.dim];
    double product = 0, size = 0;
    for (std::size_t c = 0; c < head_.dim; ++c) {
      product += q_[c] * k[c];
      size += std::abs(q_[c] * k[c]);
    }
    for (std::size_t e = 0; e < head_.dim; ++e) {
      const double term = weight * product * v[e];
      o[e] += term;
      squares[e] += term * term;
      sizes[e] += weight * size * std::abs(v[e]);
      largest[e] = std::max(largest[e], std::abs(v[e]));
    }
  }

  /// `state` is E, [dim, dim].
  double tolerance(const std::vector<double>& state, std::size_t e) const {
    const double u = std::ldexp(1.0, -24), h = std::ldexp(1.0, -11);
    double of_state = 0, length = 0;
    for (std::size_t c = 0; c < head_.dim; ++c) {
      const double term = q_[c] * state[c * head_.dim + e];
      of_state += term * term;
      length += q_[c] * q_[c];
    }
    const double q = std::max(1.0, head_.scale * std::sqrt(length));
    return h * (4 * std::sqrt(squares[e] + 2 * head_.scale * head_.scale * of_state) +
                2 * std::abs(o[e])) +
           u * (4 + std::sqrt(i_ + 1.0) / 4) * sizes[e] + u * (1 + 4 * q * largest[e]);
  }

 private:
  const Head& head_;
  int i_;
  const double* q_;
  std::vector<double> squares = std::vector<double>(head_.dim), sizes = squares, largest = squares;

 public:
  std::vector<double> o = squares;
};

void attend(const Head& head, const Formula& formula, double* o, double* tolerance) {
  const std::size_t dim = head.dim;
  std::vector<double> state(dim * dim), largest(dim * dim);  // S and E
  for (int i = 0; i < static_cast<int>(head.length); ++i) {
    const double* k = &head.k[i * dim];
    for (std::size_t c = 0; c < dim; ++c) {
      for (std::size_t e = 0; e < dim; ++e) {
        double &S = state[c * dim + e], &E = largest[c * dim + e];
        S = head.powers[1] * S + k[c] * head.v[i * dim + e];
        E = std::max(head.powers[1] * E, std::abs(S));
      }
    }
    Row row(head, i);
    double weights = 0;
    for (int j = 0; j < static_cast<int>(head.length); ++j) {
      const int exponent = formula.exponent(i, j);
      const double power = exponent < 0 ? 0 : head.powers[exponent];
      if (power < 1e-30) continue;  // less than the smallest half, whatever it multiplies
      weights += power;
      row.add(j, head.scale * power);
    }
    for (std::size_t e = 0; e < dim; ++e) {
      o[i * dim + e] = formula.is_mean && weights > 0 ? row.o[e] / weights : row.o[e];
      tolerance[i * dim + e] = row.tolerance(largest, e);
    }
  }
}

Outputs attention(const Inputs& inputs, const Case& one_case, const Formula& formula) {
  const std::size_t heads = one_case.shape[1], length = one_case.shape[2], dim = one_case.shape[3];
  const std::span<const float> decay = inputs[3].as<float>();
  const std::size_t size = length * dim, count = inputs[0].size();
  Expected O{.value = std::vector<double>(count), .tolerance = std::vector<double>(count)};
  for (std::size_t n = 0; n < count / size; ++n) {
    const auto doubles = [&](std::size_t i) {
      const std::span<const Half> x = inputs[i].as<Half>().subspan(n * size, size);
      return std::vector<double>(x.begin(), x.end());
    };
    const double of_head = decay[formula.decay_of(n % heads, n / heads) % heads];
    std::vector<double> powers(length + 1, 1);
    for (std::size_t i = 1; i <= length; ++i) powers[i] = of_head * powers[i - 1];
    const double scale = formula.scale == 0 ? 1 / std::sqrt(dim) : formula.scale;
    attend({doubles(0), doubles(1), doubles(2), length, dim, scale, std::move(powers)}, formula,
           &O.value[n * size], &O.tolerance[n * size]);
  }
  return {O};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return attention(inputs, one_case, {});
}

auto instead(const Formula& formula) {
  return [formula](const Inputs& inputs, const Case& one_case) {
    return attention(inputs, one_case, formula);
  };
}

// Chunks of CHUNK tokens: keys of earlier ones come from the state.
template <int CHUNK>
int one_power_less(int i, int j) {
  return j > i ? -1 : i - j - (i / CHUNK > j / CHUNK ? 1 : 0);
}
template <int CHUNK>
int one_power_more(int i, int j) {
  return j > i ? -1 : i - j + (i / CHUNK > j / CHUNK ? 1 : 0);
}
template <int CHUNK>
int no_state(int i, int j) {
  return i / CHUNK > j / CHUNK ? -1 : i - j;
}

const std::vector<Mistake> mistakes{
    {"without the factor 1 / sqrt(dim)", instead({.scale = 1})},
    {"if the scores were divided by sqrt(64) = 8, not by sqrt(dim)", instead({.scale = 0.125})},
    {"if a query did not see its own key",
     instead({.exponent = [](int i, int j) { return j < i ? i - j : -1; }})},
    {"if a query saw later keys, too",
     instead({.exponent = [](int i, int j) { return std::abs(i - j); }})},
    {"if a key had decayed once at its own position",
     instead({.exponent = [](int i, int j) { return j <= i ? i - j + 1 : -1; }})},
    {"without the decay", instead({.exponent = [](int i, int j) { return j <= i ? 0 : -1; }})},
    {"if all heads had the decay of head 0",
     instead({.decay_of = [](std::size_t, std::size_t) { return std::size_t{0}; }})},
    {"if the decay were chosen by the sequence of the batch, not by the head",
     instead({.decay_of = [](std::size_t, std::size_t sequence) { return sequence; }})},
    {"if each result were divided by the sum of the powers of the decay",
     instead({.is_mean = true})},
    {"if the state before a chunk of 16 decayed once too little", instead({one_power_less<16>})},
    {"if the state before a chunk of 64 decayed once too little", instead({one_power_less<64>})},
    {"if the state before a chunk of 16 decayed once too often", instead({one_power_more<16>})},
    {"if the state before a chunk of 64 decayed once too often", instead({one_power_more<64>})},
    {"if each chunk of 16 started from a state of 0", instead({no_state<16>})},
    {"if each chunk of 64 started from a state of 0", instead({no_state<64>})},
};

// In chunks of 64 tokens, the scores and their product with V take 4 * 64 dim operations for a
// token, the state and its product with q 4 dim^2.
Cost cost(const Shape& shape) {
  const double tokens = static_cast<double>(shape[0]) * shape[1] * shape[2], dim = shape[3];
  return {.bytes_read = 6 * tokens * dim + 4.0 * shape[1],
          .bytes_written = 2 * tokens * dim,
          .operations = tokens * dim * 4 * (64 + dim),
          .unit = ArithmeticUnit::tensor_f16};
}

// The bound on the length keeps the reference, which takes length^2 dim steps, to seconds, and the
// state below the largest half.
REGISTER_PROBLEM({
    .name = "linear_attention",
    .summary = "causal linear attention with a decay, a state per head, in half",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<Half>("Q", dims<0, 1, 2, 3>, draw::around(0, 1)),
                           input<Half>("K", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<Half>("V", dims<0, 1, 2, 3>, draw::mild_outliers()),
                           input<float>("decay", dims<1>, draw_decay),
                           output<Half>("O", dims<0, 1, 2, 3>), integer("batch", 1, 64),
                           integer("heads", 1, 128), integer("length", 1, 65536),
                           integer("dim", 64, 128)),
    .limits = {"length is at most 65536, dim is 64 or 128",
               [](Shape shape) -> Shape {
                 return {std::max(shape[0], 1), std::max(shape[1], 1),
                         std::clamp(shape[2], 1, 65536), shape[3] <= 64 ? 64 : 128};
               }},
    .cases = {{{1, 1, 1, 64}},
              {{3, 2, 15, 64}},
              {{1, 1, 65, 128}},
              {{1, 7, 64, 64}},
              {{1, 3, 200, 64}, Values::mostly_zero},
              {{2, 2, 130, 64}, Values::outliers},
              {{1, 1, 191, 128}},
              {{1, 2, 67, 128}, Values::large_magnitude},
              {{1, 2, 450, 64}}},
    .large_cases = {{{2, 7, 1000, 128}},
                    {{3, 2, 129, 64}, Values::mostly_zero},
                    {{1, 3, 4099, 64}}},
    .bench_shapes = {{4, 32, 8192, 128}, {4, 64, 4096, 128}, {1, 8, 65536, 128}, {8, 32, 2048, 64}},
    .drawn_values = {Values::normal, Values::mostly_zero, Values::outliers},
    .fewer_parts = [](Shape shape) -> Shape {
      return {1 + shape[0] % 2, 1 + shape[1] % 3, shape[2], shape[3]};
    },
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::linear_attention

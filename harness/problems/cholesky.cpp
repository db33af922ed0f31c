// cholesky: A = L L^T for a batch of symmetric positive definite matrices, L lower triangular with
// a positive diagonal and zeros above it
#include <algorithm>
#include <cmath>

#include "problems/spec/problem.h"

namespace kata::problem::cholesky {

using Matrix = std::vector<double>;  // [n, n], row-major

/// The factor, or what a mistake makes of it.
struct Rule {
  bool upper = false;             // the transpose of the factor
  bool unit_diagonal = false;     // L of A = L D L^T
  bool pivot_not_rooted = false;  // columns are divided by the root, but the pivot stays
  bool not_divided = false;       // columns are not divided by the pivot
  bool divided_twice = false;     // columns are divided by the square of the root
};

Matrix factor(std::span<const float> A, std::size_t n, const Rule& rule) {
  Matrix L(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = A[j * n + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= L[j * n + k] * L[j * n + k];
    const double root = std::sqrt(pivot);
    L[j * n + j] = rule.pivot_not_rooted ? pivot : root;
    const double divisor = rule.not_divided ? 1 : rule.divided_twice ? pivot : root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = sum / divisor;
    }
  }
  for (std::size_t j = 0; j < n && rule.unit_diagonal; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) L[i * n + j] /= L[j * n + j];
    L[j * n + j] = 1;
  }
  return L;
}

Matrix transposed(const Matrix& L, std::size_t n) {
  Matrix result(n * n);
  for (std::size_t at = 0; at < n * n; ++at) result[at % n * n + at / n] = L[at];
  return result;
}

Matrix inverse_of(const Matrix& L, std::size_t n) {
  Matrix M(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    M[j * n + j] = 1 / L[j * n + j];
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += L[i * n + k] * M[k * n + j];
      M[i * n + j] = -sum / L[i * n + i];
    }
  }
  return M;
}

// Errors of a right kernel, with u = 2^-24. An entry A_ij is rounded while j products are
// subtracted from it, one after the other or in a tree. With a and q the sums of |L_ik L_jk| and of
// its square over k <= j, that is, squared,
//   e_ij = u min((j + 8) a, 4 |A_ij| + sqrt((j + 1) (4 A_ij^2 + 16 q))).
// L is the exact factor of A + E with such an E. In first order, dL = L low(M E M^T), with M = L^-1
// and low the lower triangle with half of the diagonal. The entries of E err independently, so
// their squares add up:
//   g_ij^2 = sum of M_ik^2 e_kl^2 M_jl^2 over k and l, g_ii halved;
//   allowed_ij = 1.5 sqrt(sum of L_ik^2 g_kj^2 over k from j to i).
Matrix tolerance_of(std::span<const float> A, const Matrix& L, std::size_t n) {
  const double u = std::ldexp(1.0, -24);
  Matrix e(n * n), H = inverse_of(L, n);
  for (double& value : H) value *= value;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double a = 0, q = 0;
      for (std::size_t k = 0; k <= j; ++k) {
        const double product = std::abs(L[i * n + k] * L[j * n + k]);
        a += product;
        q += product * product;
      }
      const double entry = std::abs(A[i * n + j]), terms = static_cast<double>(j) + 1;
      const double error =
          u *
          std::min((terms + 7) * a, 4 * entry + std::sqrt(terms * (4 * entry * entry + 16 * q)));
      e[i * n + j] = e[j * n + i] = error * error;
    }

  Matrix left(n * n), g(n * n);  // H e, and H e H^T in its lower half; both are sums of squares
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k)
      for (std::size_t l = 0; l < n; ++l) left[i * n + l] += H[i * n + k] * e[k * n + l];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t l = 0; l <= j; ++l) g[i * n + j] += left[i * n + l] * H[j * n + l];
      if (i == j) g[i * n + j] /= 4;
    }
  Matrix tolerance(n * n);  // 0 above the diagonal
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double square = L[i * n + k] * L[i * n + k];
      for (std::size_t j = 0; j <= k; ++j) tolerance[i * n + j] += square * g[k * n + j];
    }
  for (double& value : tolerance) value = 1.5 * std::sqrt(value);
  return tolerance;
}

Outputs factors(const Inputs& inputs, const Case& one_case, const Rule& rule) {
  const std::size_t batch = one_case.shape[0], n = one_case.shape[1];
  const std::span<const float> A = inputs[0].as<float>();
  Expected L;
  for (std::size_t b = 0; b < batch; ++b) {
    const std::span<const float> matrix = A.subspan(b * n * n, n * n);
    Matrix tolerance = tolerance_of(matrix, factor(matrix, n, {}), n);
    Matrix value = factor(matrix, n, rule);
    if (rule.upper) {
      value = transposed(value, n);
      tolerance = transposed(tolerance, n);
    }
    L.value.insert(L.value.end(), value.begin(), value.end());
    L.tolerance.insert(L.tolerance.end(), tolerance.begin(), tolerance.end());
  }
  return {L};
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  return factors(inputs, one_case, {});
}

// B B^T / n + delta I has eigenvalues from about delta to 4: its condition is about 4 / delta.
Matrix dense(std::size_t n, double delta, const Random& random) {
  Matrix B(n * n), A(n * n);
  for (std::size_t i = 0; i < n * n; ++i) B[i] = random.normal(i);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += B[i * n + k] * B[j * n + k];
      A[i * n + j] = sum / static_cast<double>(n) + (i == j ? delta : 0);
    }
  return A;
}

// L L^T of a band of small whole numbers, with 4 or 8 on the diagonal: nothing is rounded.
Matrix whole(std::size_t n, const Random& random) {
  Matrix L(n * n), A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i < 3 ? 0 : i - 3; j <= i; ++j)
      L[i * n + j] = i == j ? (random.below(i * n + j, 2) == 0 ? 4.0 : 8.0)
                            : static_cast<double>(random.below(i * n + j, 3)) - 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k) A[i * n + j] += L[i * n + k] * L[j * n + k];
  return A;
}

// The lower half of one matrix. Rows and columns scaled alike leave the condition as it is.
Matrix drawn(std::size_t kind, std::size_t n, const Random& random) {
  const double least = n <= 128 ? 1e-4 : 1e-2;
  if (kind == 1) return dense(n, least, random);
  if (kind == 2) return whole(n, random);
  if (kind == 3 || kind == 4) {
    Matrix A = dense(n, 1e-1, random);
    const auto scale = [&](std::size_t i) {
      const double part = static_cast<double>(i) / static_cast<double>(n);
      return std::pow(10.0, kind == 3 ? -6 * part : 6 * part - 3);
    };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) A[i * n + j] *= scale(i) * scale(j);
    return A;
  }
  return dense(n, kind == 0 ? 1 : 1e-2, random);
}

// Neighbours in a batch are unlike. A matrix is drawn once, because a large one takes long; the
// rest of the batch repeats the first ones.
void draw_A(Array& A, const Case& one_case, const Random& random) {
  constexpr std::size_t distinct = 7;
  const std::size_t batch = one_case.shape[0], n = one_case.shape[1];
  for (std::size_t b = 0; b < batch; ++b)
    if (b < distinct) {
      const std::size_t kind = one_case.values == Values::whole_numbers ? 2 : b % 6;
      const Matrix lower = drawn(kind, n, random.stream(b));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          A.set(b * n * n + i * n + j, lower[std::max(i, j) * n + std::min(i, j)]);
    } else {
      for (std::size_t i = 0; i < n * n; ++i) A.set(b * n * n + i, A[b % distinct * n * n + i]);
    }
}

Mistake mistake(std::string what, Rule rule) {
  return {std::move(what), [rule](const Inputs& inputs, const Case& one_case) {
            return factors(inputs, one_case, rule);
          }};
}

const std::vector<Mistake> mistakes{
    mistake("of the upper factor, the transpose of L", {.upper = true}),
    mistake("of A = L D L^T, with ones on the diagonal", {.unit_diagonal = true}),
    mistake("without the root of the pivot on the diagonal", {.pivot_not_rooted = true}),
    mistake("with columns that are not divided by the pivot's root", {.not_divided = true}),
    mistake("with columns divided by the pivot, not by its root", {.divided_twice = true}),
};

// Half of A is read, all of L is written. Operations: n^3 / 3 for the factor.
Cost cost(const Shape& shape) {
  const double batch = shape[0], n = shape[1];
  return {.bytes_read = batch * 2 * n * (n + 1),
          .bytes_written = batch * 4 * n * n,
          .operations = batch * n * n * n / 3};
}

// Sizes around a warp, a block and panels of 32 and 64.
REGISTER_PROBLEM({
    .name = "cholesky",
    .summary = "the Cholesky factors of a batch of symmetric positive definite matrices",
    .frequency = "low",
    .difficulty = "hard",
    .signature = signature(input<float>("A", dims<0, 1, 1>, draw_A),
                           output<float>("L", dims<0, 1, 1>), integer("batch", 1, 1 << 20),
                           integer("n", 1, 512)),
    .cases = {{{3, 1}},
              {{7, 3}},
              {{5, 7}},
              {{40, 5}},
              {{3, 31}, Values::whole_numbers},
              {{6, 32}},
              {{6, 33}},
              {{2, 64}, Values::whole_numbers},
              {{5, 65}},
              {{2, 97}},
              {{1, 130}, Values::whole_numbers}},
    .large_cases = {{{65537, 2}},
                    {{7, 127}},
                    {{4, 241}},
                    {{4, 242}, Values::whole_numbers},
                    {{2, 261}},
                    {{2, 511}},
                    {{2, 512}}},
    .bench_shapes = {{640, 512}, {4096, 128}, {16384, 64}, {65536, 32}, {1, 512}},
    .drawn_values = {Values::normal, Values::normal, Values::whole_numbers},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::cholesky

#include "practice/drill/operations.h"

namespace kata::drill {
namespace {

bool barrier_twice(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"__syncthreads", "(", ")", ";"})) return false;
  code.put(i + 3, "; __syncthreads();");
  return true;
}

bool counting_barrier(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"__syncthreads", "(", ")", ";"})) return false;
  code.replace(i, i + 3, "__syncthreads_count(1)");
  return true;
}

/// i < n) -> i <= n - 1)
bool comparison_less_one(const Tokens& code, std::size_t i) {
  if (i == 0 || !is_plain_comparison(code, i) || !code.is_int(i - 1) || !code.is_int(i + 1))
    return false;
  code.put(i, "<=");
  code.put(i + 1, code.text(i + 1) + " - 1");
  return true;
}

/// if (i < n) -> if (!(i >= n))
bool negated(const Tokens& code, std::size_t i) {
  return code.is_int(i + 2) && negate(code, i, ">=");
}

/// offset > 0 -> offset >= 1
bool last_step_as_before(const Tokens& code, std::size_t i) {
  if (i == 0 || !code.is(i, {">", "0", ";"}) || !code.stands_apart(i) || !code.is_int(i - 1))
    return false;
  code.replace(i, i + 2, ">= 1");
  return true;
}

/// (n + B - 1) / B -> (n - 1) / B + 1
bool rounded_up(const Tokens& code, std::size_t i) {
  const auto up = rounded_up_at(code, i);
  if (up) code.replace(up->begin, up->end, "((" + up->n + " - 1) / " + operand(up->b) + " + 1)");
  return up.has_value();
}

/// row * cols + col -> col + row * cols
bool commuted(const Tokens& code, std::size_t i) {
  const auto index = index_at(code, i);
  if (!index) return false;
  const std::string product = code.text(index->a, index->a_end) + " * " +
                              code.text(index->b, index->b_end),
                    rest = code.text(index->c, index->c_end);
  code.replace(index->a, index->c_end, rest + " + " + product);
  return true;
}

/// blockIdx.x * blockDim.x + threadIdx.x -> threadIdx.x * gridDim.x + blockIdx.x
bool spread(const Tokens& code, std::size_t i) {
  const auto index = index_at(code, i);
  if (!index || code.text(index->a, index->a_end) != "blockIdx.x" ||
      code.text(index->c, index->c_end) != "threadIdx.x")
    return false;
  code.replace(index->a, index->c_end, "threadIdx.x * gridDim.x + blockIdx.x");
  return true;
}

bool begins_a_float(const Tokens& code, std::size_t i) {
  return code.is(i, {"float"}) && code.is_name(i + 1) && code.text(i + 2) == "=";
}

/// float most = -INFINITY; -> -3.4e38f
bool same_maximum(const Tokens& code, std::size_t i) {
  if (!begins_a_float(code, i) || !code.is(i + 3, {"-", "INFINITY", ";"})) return false;
  code.put(i + 4, "3.4e38f");
  return true;
}

/// float sum = 0; -> -0.0f
bool same_zero(const Tokens& code, std::size_t i) {
  static const std::set<std::string> zeros = {"0", "0.0f", "0.f"};
  if (!begins_a_float(code, i)) return false;
  if (!zeros.contains(code.text(i + 3)) || code.text(i + 4) != ";") return false;
  code.put(i + 3, "-0.0f");
  return true;
}

/// constexpr int BLOCK = 256; -> 512, or -> 128
bool resized(const Tokens& code, std::size_t i, bool larger) {
  static const std::set<std::string> sizes = {"64", "128", "256", "512", "1024"};
  const bool is_constant = i >= 4 && code.text(i - 1) == "=" && code.is_name(i - 2) &&
                           (code.text(i - 4) == "const" || code.text(i - 4) == "constexpr");
  if (!is_constant || !sizes.contains(code.text(i)) || code.text(i + 1) != ";") return false;
  const int size = std::stoi(code.text(i));
  if (larger && size == 1024) return false;
  code.put(i, std::to_string(larger ? 2 * size : size / 2));
  return true;
}

bool twice_the_size(const Tokens& code, std::size_t i) {
  return resized(code, i, true);
}

bool half_the_size(const Tokens& code, std::size_t i) {
  return resized(code, i, false);
}

/// tile[32][32 + 1] -> tile[32][32]
bool padding(const Tokens& code, std::size_t i) {
  if (code.text(i) != "+" || code.text(i + 2) != "]" || i < 2) return false;
  std::size_t begin = i;
  while (begin > 0 && code.text(begin) != ";" && code.text(begin) != "{") --begin;
  if (code.text(begin + 1) != "__shared__") return false;
  code.replace(i - 1, i + 2, code.text(i - 1));
  return true;
}

bool unrolling(const Tokens& code, std::size_t i) {
  if (!code.text(i).starts_with("#pragma unroll")) return false;
  code.put(i, "");
  return true;
}

bool restrict_gone(const Tokens& code, std::size_t i) {
  return code.put_for(i, {"__restrict__"}, "");
}

bool wider_fence(const Tokens& code, std::size_t i) {
  return code.put_for(i, {"__threadfence", "("}, "__threadfence_system");
}

constexpr Operation operations[] = {
    {"second barrier", "barriers", 2, barrier_twice,
     "the second of two barriers in a row has nothing left to order", true},
    {"counting barrier", "barriers", 2, counting_barrier,
     "__syncthreads_count() is a barrier, too, and its count is not used", true},
    {"comparison less one", "conditions", 1, comparison_less_one,
     "of integers, a < b and a <= b - 1 are the same", true},
    {"negation", "conditions", 1, negated, "!(a >= b) is a < b", true},
    {"last step as before", "conditions", 2, last_step_as_before,
     "of integers, a > 0 and a >= 1 are the same", true},
    {"rounding", "conditions", 2, rounded_up, "(n - 1) / b + 1 rounds up, too, from n = 1 on"},
    {"commuted index", "indices", 1, commuted, "the order of its terms does not change the index",
     true},
    {"spread index", "indices", 1, spread,
     "each thread still has its own index, but neighbouring threads no longer have neighbouring "
     "indices, which costs time"},
    {"same maximum", "values", 1, same_maximum, "a maximum still begins below every input"},
    {"same zero", "values", 1, same_zero, "-0 + x is x, as 0 + x is", true},
    {"block size", "values", 1, twice_the_size,
     "the launch and the kernel both follow from the constant"},
    {"half the size", "values", 1, half_the_size,
     "the launch and the kernel both follow from the constant"},
    {"padding", "memory", 1, padding,
     "padding moves rows to other banks: it decides the time, not the result"},
    {"restrict", "memory", 1, restrict_gone,
     "__restrict__ promises something to the compiler; without it, it may only be slower", true},
    {"wider fence", "memory", 3, wider_fence,
     "a fence for the whole system orders what one for the device does", true},
    {"unrolling", "values", 2, unrolling,
     "unrolling changes the instructions of a loop, not what it computes", true}};

}  // namespace

std::span<const Operation> harmless_operations() {
  return operations;
}

}  // namespace kata::drill

#pragma once
// What a problem file says about an operator: signature, cases, reference, tolerance and cost.
// A problem file is mathematics: it knows the standard library and this header, nothing else.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kata {

/// Sizes in the order of the signature, e.g. {rows, cols} for softmax_rows.
using Shape = std::vector<int>;

/// Dimensions of a row-major tensor, outermost first. One or two of them.
using Dims = std::vector<std::int64_t>;

/// How a case's inputs are drawn; the judge draws them from the seed (judge/inputs.h).
enum class Values {
  normal,           ///< N(0, 1)
  large_magnitude,  ///< 100 N(0, 1): exp() of it overflows
  all_negative,     ///< -1 - |N(0, 1)|: a maximum that starts at 0 is wrong
  constant,         ///< one number drawn from N(0, 1), everywhere
  outliers,         ///< N(0, 1), and one element in 512 (at least one) 1000 times as large
  far_below_zero,   ///< -2^123 (-1e37) to -2^126: a maximum must start at -infinity or -FLT_MAX
  largest_last,     ///< N(0, 1), the largest moved to the end: a maximum of all but it is wrong
  whole_numbers,    ///< -3 to 3 without 0: float adds them up without rounding, in any order
};

/// One input of a problem; the seed is the run's.
struct Case {
  Shape shape;
  Values values = Values::normal;
};

struct Tensor {
  std::string name;
  Dims (*dims)(const Shape&);
};

/// Inputs of one case, in the order of the signature.
using Inputs = std::vector<std::vector<float>>;

/// The right output in double precision and, element by element, how far from it a right kernel
/// may be (absolute). The judge accepts |got - value| <= tolerance and nothing else, so NaN fails.
struct Expected {
  std::vector<double> value;
  std::vector<double> tolerance;
};

/// What the operator must cost at least: bytes that have to cross device memory (each input read
/// once, each output written once) and floating-point operations.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;
};

/// One number to compare sizes of a problem by: bytes and operations, added up.
inline double work(const Cost& cost) {
  return cost.bytes_read + cost.bytes_written + cost.operations;
}

struct Parameter {
  enum class Kind { input, output, size };
  Kind kind;
  std::string name;
};

/// The entry function's parameters, and how to call it with device pointers and sizes.
struct Signature {
  std::vector<Parameter> parameters;
  void (*call)(void* entry, const float* const* inputs, float* output, const int* sizes);
};

namespace detail {

inline constexpr Parameter::Kind kind_of(const float* const*) {
  return Parameter::Kind::input;
}
inline constexpr Parameter::Kind kind_of(float* const*) {
  return Parameter::Kind::output;
}
inline constexpr Parameter::Kind kind_of(int const*) {
  return Parameter::Kind::size;
}

/// Hands out the arguments of one call in the order of the signature.
struct Arguments {
  const float* const* inputs;
  float* output;
  const int* sizes;

  void take(const float*& argument) { argument = *inputs++; }
  void take(float*& argument) { argument = output; }
  void take(int& argument) { argument = *sizes++; }
  template <class T>
  T next() {
    T argument;
    take(argument);
    return argument;
  }
};

}  // namespace detail

/// signature<const float*, float*, int>({"x", "y", "n"}): `const float*` is an input, `float*` the
/// output, `int` a size.
template <class... P>
Signature signature(const std::array<const char*, sizeof...(P)>& names) {
  Signature result;
  std::size_t i = 0;
  (result.parameters.push_back({detail::kind_of(static_cast<P const*>(nullptr)), names[i++]}), ...);
  result.call = [](void* entry, const float* const* inputs, float* output, const int* sizes) {
    detail::Arguments arguments{inputs, output, sizes};
    struct Call {  // braces evaluate left to right, parentheses need not
      Call(void (*function)(P...), P... p) { function(p...); }
    };
    Call{reinterpret_cast<void (*)(P...)>(entry), arguments.next<P>()...};
  };
  return result;
}

/// An operator as the harness knows it. `name` is also the name of the entry function.
struct Problem {
  std::string name;
  std::string summary;     ///< one line for `kata list`: what is computed
  std::string frequency;   ///< how often interviewers ask it: "very high", "high", "medium", "low"
  std::string difficulty;  ///< "easy", "medium", "hard"
  Signature signature;
  std::vector<Tensor> inputs;  ///< in the order of the signature
  Tensor output;
  std::vector<Case> cases;          ///< run on both backends; each is alone in rejecting a mutant
  std::vector<Case> large_cases;    ///< too slow to emulate: run on a GPU besides `cases`
  std::vector<Shape> bench_shapes;  ///< timed by `kata bench`; the first one also by `kata check`
  Expected (*reference)(const Inputs&, const Shape&);
  Cost (*cost)(const Shape&);
};

/// "void relu(const float* x, float* y, int n)"
std::string declaration(const Problem& problem);

/// "17x1023"
std::string to_string(const Shape& shape);

/// "17x1023 normal"
std::string to_string(const Case& one_case);

std::int64_t count(const Dims& dims);

/// Every problem that was linked in, by name. Files in this folder register themselves.
const std::vector<Problem>& problems();

/// The problem of that name, or null.
const Problem* find_problem(const std::string& name);

/// At namespace scope of a problem file: `const RegisterProblem registered{{.name = ...}};`
struct RegisterProblem {
  explicit RegisterProblem(Problem problem);
};

}  // namespace kata

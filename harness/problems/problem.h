#pragma once
// What a problem file says about an operator: signature, cases, reference, tolerance and cost.
// A problem file is mathematics: it knows the standard library and the headers of this folder.
//
// A signature names every parameter in order. A pointer parameter is a tensor: its type, its
// dimensions as a function of the shape and, for inputs, how it is drawn (draw.h):
//
//   .signature = signature(input<int>("x", dims<0>, draw::below(1)),
//                          output<int>("counts", dims<1>),
//                          integer("n"), integer("bins")),
//
// `input` is a const pointer, `output` arrives poisoned, `in_out` is drawn like an input, restored
// before each call, and compared like an output. `integer` is an `int`: the integers of a
// signature, in order, are the Shape. `real` is a `float` with the value that it has where a case
// does not say otherwise.

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "problems/array.h"
#include "problems/case.h"
#include "problems/dims.h"
#include "problems/draw.h"
#include "problems/types.h"

namespace kata {

/// The inputs of one case in the order of the signature, with the initial values of in-out buffers.
/// An input that is not there throws a ProblemFault.
class Inputs : public std::vector<Array> {
 public:
  using std::vector<Array>::vector;

  Array& operator[](std::size_t i) { return i < size() ? data()[i] : missing(i); }
  const Array& operator[](std::size_t i) const { return i < size() ? data()[i] : missing(i); }

 private:
  [[noreturn]] Array& missing(std::size_t i) const;
};

/// What one output must hold. The judge accepts |got - value| <= tolerance, or the same for
/// `alternative`, and nothing else, so NaN fails. Integers are exact: their tolerance is 0.
struct Expected {
  std::vector<double> value;
  std::vector<double> tolerance = {};    ///< absolute, one an element; empty: 0
  std::vector<double> alternative = {};  ///< as good as `value`, one an element; empty: none
  std::int64_t specified = -1;           ///< from this element on anything goes; -1: none of them

  double tolerance_of(std::size_t i) const { return tolerance.empty() ? 0 : tolerance[i]; }
};

/// One for each output and in-out buffer, in the order of the signature.
using Outputs = std::vector<Expected>;

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
  enum class Kind { input, output, in_out, integer, real };

  Kind kind;
  Type type;
  std::string name;
  Dims (*dims)(const Shape&) = nullptr;  ///< of a tensor
  Draw draw = {};                        ///< of an input; empty: as the case says
  float value = 0;                       ///< of a real: where a case has none
};

/// A parameter, and the C++ type of its argument.
template <class T>
struct Declared {
  Parameter parameter;
};

template <class T>
Declared<const T*> input(std::string name, Dims (*dims)(const Shape&), Draw draw = {}) {
  return {{Parameter::Kind::input, type_of<T>, std::move(name), dims, std::move(draw)}};
}
template <class T>
Declared<T*> output(std::string name, Dims (*dims)(const Shape&)) {
  return {{Parameter::Kind::output, type_of<T>, std::move(name), dims}};
}
template <class T>
Declared<T*> in_out(std::string name, Dims (*dims)(const Shape&), Draw draw = {}) {
  return {{Parameter::Kind::in_out, type_of<T>, std::move(name), dims, std::move(draw)}};
}
inline Declared<int> integer(std::string name) {
  return {{Parameter::Kind::integer, Type::i32, std::move(name)}};
}
inline Declared<float> real(std::string name, float value) {
  return {
      {.kind = Parameter::Kind::real, .type = Type::f32, .name = std::move(name), .value = value}};
}

/// The arguments of one call by kind, each in the order of the signature.
struct Arguments {
  std::vector<void*> tensors;  ///< device pointers
  std::vector<int> integers;
  std::vector<float> reals;
};

/// The entry function's parameters, and how to call it.
struct Signature {
  std::vector<Parameter> parameters;

  // The same by role, each in the order above. An in-out buffer is an input and an output.
  std::vector<Parameter> tensors, inputs, outputs, integers, reals;

  void (*call)(void* entry, const Arguments& arguments) = nullptr;
};

namespace detail {

/// Hands out the arguments of one call in the order of the signature.
struct NextArgument {
  const Arguments& arguments;
  std::size_t tensor = 0, integer = 0, real = 0;

  template <class T>
  T take() {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<T>(arguments.tensors[tensor++]);
    } else if constexpr (std::is_same_v<T, int>) {
      return arguments.integers[integer++];
    } else {
      return arguments.reals[real++];
    }
  }
};

Signature by_role(std::vector<Parameter> parameters);

}  // namespace detail

template <class... T>
Signature signature(Declared<T>... declared) {
  Signature result = detail::by_role({std::move(declared.parameter)...});
  result.call = [](void* entry, const Arguments& arguments) {
    detail::NextArgument next{arguments};
    const std::tuple<T...> in_order{next.template take<T>()...};  // braces go left to right
    std::apply(reinterpret_cast<void (*)(T...)>(entry), in_order);
  };
  return result;
}

/// Which shapes an operator has, where it is not all of positive numbers.
struct Limits {
  std::string text;               ///< for the person whose --size does not fit: "1 <= k <= n"
  Shape (*nearest)(Shape shape);  ///< a legal shape as it is, any other made legal
};

/// An operator as the harness knows it. `name` is also the name of the entry function.
struct Problem {
  std::string name;
  std::string summary;     ///< one line for `kata list`: what is computed
  std::string frequency;   ///< how often interviewers ask it: "very high", "high", "medium", "low"
  std::string difficulty;  ///< "easy", "medium", "hard"
  Signature signature;
  Limits limits = {"", nullptr};
  std::vector<Case> cases;  ///< run on both backends; each is alone in rejecting a mutant
  std::vector<Case> large_cases = {};  ///< too slow to emulate: run on a GPU besides `cases`
  std::vector<Shape> bench_shapes;  ///< timed by `kata bench`; the first one also by `kata check`
  /// Distributions of the cases whose sizes the seed draws (judge/judge.h), one case each.
  std::vector<Values> drawn_values = {Values::normal, Values::outliers, Values::all_negative};
  /// For inputs that depend on one another, or on a scalar: called after all have been drawn.
  void (*arrange)(Inputs& inputs, const Case& one_case, const Random& random) = nullptr;
  /// In double precision. All of the case's reals are there.
  Outputs (*reference)(const Inputs& inputs, const Case& one_case);
  Cost (*cost)(const Shape&);
};

/// "void relu(const float* x, float* y, int n)"
std::string declaration(const Problem& problem);

/// "17x1023 normal"; "64x64x64 normal, alpha 2, beta 0" where a case sets reals.
std::string name_of(const Problem& problem, const Case& one_case);

/// Whether the operator has that shape.
bool is_legal(const Problem& problem, const Shape& shape);

/// The shape's `int`s and the case's reals, or their defaults; the tensors are the caller's.
Arguments arguments_of(const Problem& problem, const Case& one_case);

/// The reference's outputs. Throws a ProblemFault if it does not fill each element of each output.
Outputs expected_outputs(const Problem& problem, const Inputs& inputs, const Case& one_case);

/// Elements of a tensor, or of all outputs.
std::size_t elements(const Parameter& tensor, const Shape& shape);
std::int64_t output_elements(const Problem& problem, const Shape& shape);

/// Every problem that was linked in, by name. Files in this folder register themselves.
const std::vector<Problem>& problems();

/// The problem of that name, or null.
const Problem* find_problem(const std::string& name);

/// What is wrong with a problem's description, in one line that names it; empty if nothing is.
std::string fault_of(const Problem& problem);

/// At namespace scope of a problem file: `const RegisterProblem registered{{.name = ...}};`
/// Throws a std::logic_error with fault_of() where there is a fault.
struct RegisterProblem {
  explicit RegisterProblem(Problem problem);
};

}  // namespace kata

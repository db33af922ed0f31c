#pragma once
// What a problem file says about an operator: signature, cases, reference, tolerance and cost.
// A problem file is mathematics: it knows the standard library and the headers of this folder.
//
// A signature names every parameter in order. A pointer parameter is a tensor: its type, its
// dimensions as a function of the shape and, for inputs, how it is drawn (draw.h):
//
//   .signature = signature(input<int>("x", dims<0>, draw::below(1)),
//                          output<int>("counts", dims<1>),
//                          integer("n", 1, 1 << 28), integer("bins", 1, 65536)),
//
// `input` is a const pointer, `output` arrives poisoned, `in_out` is drawn like an input, restored
// before each call, and compared like an output. `integer` is an `int` with the range that the
// exercise promises: the integers of a signature, in order, are the Shape. `real` is a `float` with
// a default value, which a case can override.
//
// An operator on several devices has `devices`, the integer that says how many, and one tensor on
// each: `on_each_device(input<float>("x", dims<1, 0>))` is a `const float* const*` whose first
// dimension is the device. `streams` is one stream on each, `scratch` memory on each that stays
// from call to call.

#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "problems/spec/arithmetic_unit.h"
#include "problems/spec/array.h"
#include "problems/spec/case.h"
#include "problems/spec/dims.h"
#include "problems/spec/draw.h"
#include "problems/spec/types.h"

struct CUstream_st;  // a cudaStream_t points to one

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

/// What one output must hold. An element is right if |got - value| <= tolerance or
/// |got - alternative| <= tolerance; NaN never is. Integers are exact: leave their tolerance empty.
struct Expected {
  std::vector<double> value;
  std::vector<double> tolerance = {};    ///< absolute, one an element; empty: 0
  std::vector<double> alternative = {};  ///< as good as `value`, one an element; empty: none
  std::int64_t specified = -1;      ///< elements from this index on may hold anything; -1: none
  bool keeps_sign_of_zero = false;  ///< of copies: 0 is wrong where -0 is expected

  double tolerance_of(std::size_t i) const { return tolerance.empty() ? 0 : tolerance[i]; }
  /// For elements that are rounded once to the type, each from a number within its tolerance.
  void add_rounding(Type type);
};

/// One for each output and in-out buffer, in the order of the signature.
using Outputs = std::vector<Expected>;

/// The least that the operator can cost: bytes that cross device memory (each input read once, each
/// output written once) and operations, a multiply-add as two, on the fastest unit that its types
/// and its tolerance allow.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;
  ArithmeticUnit unit = ArithmeticUnit::fma;
  double link_bytes = 0;  ///< that each of several devices has to get from the others
};

/// Bytes plus operations: one number by which the sizes of a problem are compared.
inline double work(const Cost& cost) {
  return cost.bytes_read + cost.bytes_written + cost.operations;
}

struct Parameter {
  enum class Kind { input, output, in_out, integer, real, scratch, streams };

  Kind kind;
  Type type;
  std::string name;
  Dims (*dims)(const Shape&) = nullptr;          ///< of a tensor
  Draw draw = {};                                ///< of an input; empty: as the case says
  float value = 0;                               ///< of a real: its default
  int least = 1, most = 0;                       ///< of an integer: what the exercise promises
  bool counts_devices = false;                   ///< an integer: how many devices there are
  bool is_on_each_device = false;                ///< a tensor: by its first dimension
  bool is_replicated = false;                    ///< and equal on all of them, bit for bit
  std::size_t (*bytes)(const Shape&) = nullptr;  ///< of a scratch, on each device
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
inline Declared<int> integer(std::string name, int least = 1,
                             int most = std::numeric_limits<int>::max()) {
  return {{.kind = Parameter::Kind::integer,
           .type = Type::i32,
           .name = std::move(name),
           .least = least,
           .most = most}};
}
/// 1 to `most` devices.
inline Declared<int> devices(std::string name, int most = 8) {
  Declared<int> declared = integer(std::move(name), 1, most);
  declared.parameter.counts_devices = true;
  return declared;
}
/// The largest of 1, 2, 4 and 8 that is not larger, at least 1.
int nearest_devices(int wanted);
/// The last size, the number of devices, as above; the first a multiple of it; none below 1.
Shape with_equal_rows(Shape shape);
template <class T>
Declared<T* const*> on_each_device(Declared<T*> tensor) {
  tensor.parameter.is_on_each_device = true;
  return {std::move(tensor.parameter)};
}
/// Devices go on with what they hold, and must not drift apart.
template <class T>
Declared<T* const*> replicated(Declared<T*> output) {
  output.parameter.is_replicated = true;
  return on_each_device(std::move(output));
}
/// Of the largest shape that a program calls the operator with, so many bytes on each device. The
/// first `zeroed_scratch` bytes are 0 before the first call.
inline constexpr std::size_t zeroed_scratch = 64 << 10;
inline Declared<void* const*> scratch(std::string name, std::size_t (*bytes)(const Shape&)) {
  return {{.kind = Parameter::Kind::scratch,
           .type = Type::f32,
           .name = std::move(name),
           .bytes = bytes}};
}
inline Declared<CUstream_st* const*> streams(std::string name) {
  return {{.kind = Parameter::Kind::streams, .type = Type::u32, .name = std::move(name)}};
}
inline Declared<float> real(std::string name, float value) {
  return {
      {.kind = Parameter::Kind::real, .type = Type::f32, .name = std::move(name), .value = value}};
}

/// The arguments of one call by kind, each in the order of the signature.
struct Arguments {
  std::vector<void*> tensors;  ///< device pointers; of what is on each device, an array of them
  std::vector<int> integers;
  std::vector<float> reals;
  std::vector<void*> scratch = {};  ///< by device
  std::vector<CUstream_st*> streams = {};
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
    if constexpr (std::is_same_v<T, void* const*>) {
      return arguments.scratch.data();
    } else if constexpr (std::is_same_v<T, CUstream_st* const*>) {
      return arguments.streams.data();
    } else if constexpr (std::is_pointer_v<T>) {
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

/// A formula that people compute instead of the operator's. Where it accounts for a wrong result,
/// the explanation names it.
struct Mistake {
  std::string what;  ///< after "what they would be": "without the factor 1 / sqrt(d)"
  std::function<Outputs(const Inputs& inputs, const Case& one_case)> reference;
};

/// The legal shapes of an operator, if a shape of positive numbers can be illegal or 0 is legal.
struct Limits {
  std::string text;               ///< for the person whose --size does not fit: "1 <= k <= n"
  Shape (*nearest)(Shape shape);  ///< returns a legal shape unchanged, and makes any other legal
};

/// An operator as the harness knows it. `name` is also the name of the entry function.
struct Problem {
  std::string name;
  std::string summary;     ///< one line for `kata show`: what is computed
  std::string frequency;   ///< how often interviewers ask it: "very high", "high", "medium", "low"
  std::string difficulty;  ///< "easy", "medium", "hard"
  /// Which elements are answered depends on their values, and so may what a kernel reads and
  /// writes: its profile is of the bench's values, not of zeros.
  bool selects = false;
  Signature signature;
  Limits limits = {"", nullptr};
  /// The exercise promises that no tensor has more.
  std::int64_t most_elements = 1 << 30;
  std::vector<Case> cases;  ///< run on both backends; each rejects a mutant that no other rejects
  /// Run on a GPU, and without instruments as far as there is time for them: first things first.
  std::vector<Case> large_cases = {};
  std::vector<Shape> bench_shapes;  ///< timed by `kata bench`; `kata check` times the first one
  /// Distributions of the extra cases whose sizes depend on the seed (drawn_cases), one case each.
  std::vector<Values> drawn_values = {Values::normal, Values::outliers, Values::all_negative};
  /// Optional. Makes their shapes smaller, where a kernel spends a block or more on each of many
  /// parts, however short these are.
  Shape (*fewer_parts)(Shape shape) = nullptr;
  /// Optional. Called when all inputs are drawn, to change those that depend on one another or on a
  /// scalar.
  void (*arrange)(Inputs& inputs, const Case& one_case, const Random& random) = nullptr;
  /// Computes the outputs in double precision. one_case.reals has a value for each real.
  Outputs (*reference)(const Inputs& inputs, const Case& one_case);
  Cost (*cost)(const Shape&);
  std::vector<Mistake> mistakes = {};
  /// Optional. What people compute in which large numbers cancel: "the variance mean(x^2) -
  /// mean(x)^2". What is left is rounding, so no mistake's reference could foresee it.
  std::string cancels = {};
};

/// Whether the operator works on several devices.
bool uses_devices(const Problem& problem);
/// How many it works on at that shape, or at most.
int devices_of(const Problem& problem, const Shape& shape);
int most_devices(const Problem& problem);
/// Its scratch memory, or null.
const Parameter* scratch_of(const Problem& problem);

/// "void relu(const float* x, float* y, int n)"
std::string declaration(const Problem& problem);

/// "rows = 17, cols = 1023"
std::string named_sizes(const Problem& problem, const Shape& shape);

/// "17x1023 normal"; with reals that differ from their default: "64x64x64 normal, alpha 2, beta 0"
std::string name_of(const Problem& problem, const Case& one_case);

/// Whether the operator has that shape.
bool is_legal(const Problem& problem, const Shape& shape);

/// The integers and reals of a case, with defaults for reals that it does not set. The caller adds
/// the tensors.
Arguments arguments_of(const Problem& problem, const Case& one_case);

/// The reference's outputs. Throws a ProblemFault if it does not fill each element of each output.
Outputs expected_outputs(const Problem& problem, const Inputs& inputs, const Case& one_case);

/// Whether the exercise promises such sizes: a legal shape within the ranges of its integers, whose
/// tensors are not too large.
bool is_promised(const Problem& problem, const Shape& shape);

/// Elements of a tensor, or of all outputs.
std::size_t elements(const Parameter& tensor, const Shape& shape);
std::int64_t output_elements(const Problem& problem, const Shape& shape);

/// Every problem that was linked in, by name. Files in this folder register themselves.
const std::vector<Problem>& problems();

/// Letters of the longest name: a column of them.
std::size_t name_width();

/// The problem of that name, or null.
const Problem* find_problem(const std::string& name);

/// What is wrong with a problem, in one line that names it; empty if nothing is.
std::string fault_of(const Problem& problem);

/// What REGISTER_PROBLEM makes.
/// Throws a std::logic_error with fault_of() where there is a fault.
struct RegisterProblem {
  explicit RegisterProblem(Problem problem);
};

}  // namespace kata

/// At namespace scope of a problem file: `REGISTER_PROBLEM({.name = ...});`
/// Each problem has a function of its own: one that describes all the problems of a unity file
/// would take a third of that file's time to compile.
#define REGISTER_PROBLEM(...) \
  Problem described() {       \
    return __VA_ARGS__;       \
  }                           \
  const RegisterProblem registered(described())

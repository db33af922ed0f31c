#include "judge/repeated.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "judge/explain.h"
#include "judge/poison.h"

namespace kata {
namespace {

/// Elements of all tensors that the host draws, computes and compares in about two seconds.
constexpr std::size_t most_on_host = std::size_t{1} << 27;

/// Elements of all tensors of a pattern: about as many, and an odd number of rows.
constexpr std::size_t pattern_elements = 1 << 18;

/// Bytes of a case that every GPU of interest has.
constexpr std::size_t most_bytes = std::size_t{8} << 30;

constexpr int most_blocks = 65535;  // of kernels that limit gridDim.x like the others

Array repeated(const Array& pattern, std::size_t times) {
  Array whole(pattern.type(), times * pattern.size());
  for (std::size_t i = 0; i < times; ++i)
    std::ranges::copy(pattern.bytes(), whole.bytes().begin() +
                                           static_cast<std::ptrdiff_t>(i * pattern.bytes().size()));
  return whole;
}

template <class T>
std::vector<T> repeated(const std::vector<T>& pattern, std::size_t times) {
  std::vector<T> whole;
  for (std::size_t i = 0; i < times; ++i) whole.insert(whole.end(), pattern.begin(), pattern.end());
  return whole;
}

bool are_equal(const Expected& a, const Expected& b) {
  return a.value == b.value && a.tolerance == b.tolerance && a.alternative == b.alternative &&
         a.specified == b.specified;
}

/// The cheapest shape of the problem's cases in which no other size is 1, if there is one: along
/// the only column of a matrix everything repeats.
Shape shape_to_probe(const Problem& problem, std::size_t dimension) {
  Shape best;
  for (const Case& one : problem.cases) {
    const auto other_is_one = [&](std::size_t i) { return i != dimension && one.shape[i] == 1; };
    std::vector<std::size_t> sizes(one.shape.size());
    std::iota(sizes.begin(), sizes.end(), 0);
    if (std::ranges::any_of(sizes, other_is_one)) continue;
    Shape shape = one.shape;
    shape[dimension] = 1;
    if (best.empty() || work(problem.cost(shape)) < work(problem.cost(best))) best = shape;
  }
  return best;
}

/// Whether repeated inputs have repeated outputs, by an example.
bool repeats_along(const Problem& problem, std::size_t dimension) {
  constexpr int rows = 7, times = 3;
  Shape few = shape_to_probe(problem, dimension);
  if (few.empty()) return false;
  few[dimension] = rows;
  Shape many = few;
  many[dimension] = times * rows;
  if (!is_legal(problem, few) || !is_legal(problem, many)) return false;
  const auto grows = [&](const Parameter& tensor) {
    return elements(tensor, many) == times * elements(tensor, few);
  };
  const auto stays = [&](const Parameter& tensor) {
    return elements(tensor, many) == elements(tensor, few);
  };
  const Signature& signature = problem.signature;
  if (!std::ranges::all_of(signature.outputs, grows)) return false;
  if (std::ranges::none_of(signature.inputs, grows)) return false;
  const Inputs pattern = make_inputs(problem, {few}, 1);
  Inputs inputs;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const Parameter& tensor = signature.inputs[i];
    if (!grows(tensor) && !stays(tensor)) return false;
    inputs.push_back(grows(tensor) ? repeated(pattern[i], times) : pattern[i]);
  }
  Outputs wanted = expected_outputs(problem, pattern, {few});
  for (Expected& one : wanted) {
    one.value = repeated(one.value, times);
    one.tolerance = repeated(one.tolerance, times);
    one.alternative = repeated(one.alternative, times);
  }
  return std::ranges::equal(wanted, expected_outputs(problem, inputs, {many}), are_equal);
}

std::size_t all_elements(const Problem& problem, const Shape& shape) {
  std::size_t sum = 0;
  for (const Parameter& tensor : problem.signature.tensors) sum += elements(tensor, shape);
  return sum;
}

bool is_too_large_for_host(const Problem& problem, const Case& one_case) {
  return all_elements(problem, one_case.shape) > most_on_host;
}

std::size_t all_bytes(const Problem& problem, const Shape& shape) {
  std::size_t sum = 0;
  for (const Parameter& tensor : problem.signature.tensors)
    sum += elements(tensor, shape) * size_of(tensor.type);
  return sum;
}

std::optional<RepeatedCase> as_repeated(const Problem& problem, const Case& whole,
                                        std::size_t dimension) {
  RepeatedCase one{whole, whole.shape};
  int& rows = one.pattern.shape[dimension];
  rows = 1;
  if (!is_legal(problem, one.pattern.shape)) return {};
  const std::size_t of_a_row = all_elements(problem, one.pattern.shape);
  rows = static_cast<int>(pattern_elements / of_a_row | 1);
  if (rows >= whole.shape[dimension] || !is_legal(problem, one.pattern.shape)) return {};
  return one;
}

/// Elements or rows that a block computes at most, of kernels that 65535 blocks must not be enough
/// for. A row may take a block or a warp; tiles of rows may be mapped to gridDim.y, which has that
/// limit.
int most_of_a_block(const Problem& problem, const Shape& shape) {
  const auto is_matrix = [&](const Parameter& tensor) { return tensor.dims(shape).size() > 1; };
  constexpr int elements = 1024, rows = 256, rows_of_output = 8;
  if (std::ranges::any_of(problem.signature.outputs, is_matrix)) return rows_of_output;
  return std::ranges::any_of(problem.signature.inputs, is_matrix) ? rows : elements;
}

/// Beyond 65535 blocks in one dimension, all others as small as they may be.
Shape wide_shape(const Problem& problem, std::size_t dimension) {
  Shape shape(problem.cases.front().shape.size(), 1);
  shape[dimension] = most_blocks * most_of_a_block(problem, shape) + 259;
  return problem.limits.nearest ? problem.limits.nearest(shape) : shape;
}

/// Part of an output, and what is wrong in it.
struct Mistakes {
  std::int64_t bad = 0, first = -1;
  bool is_unwritten = true;  ///< all that is wrong
};

/// One output on the device, whose expected values repeat.
class RepeatedOutput {
 public:
  RepeatedOutput(const Expected& pattern, const Buffer& buffer, Type type, Device& device)
      : pattern_(pattern),
        buffer_(buffer),
        type_(type),
        device_(device),
        size_(buffer.bytes() / size_of(type)) {}

  std::size_t size() const { return size_; }
  double wanted(std::int64_t i) const { return pattern_.value[in_pattern(i)]; }
  double tolerance(std::int64_t i) const { return pattern_.tolerance_of(in_pattern(i)); }

  Array read(std::size_t first, std::size_t count) const {
    Array part(type_, count);
    device_.download(part.bytes().data(),
                     static_cast<const std::byte*>(buffer_.data()) + first * size_of(type_),
                     part.bytes().size());
    return part;
  }

  Mistakes mistakes(std::size_t first, std::size_t count) const {
    const Array part = read(first, count);
    const std::vector<std::int64_t> poisoned = find_poison(part);
    Mistakes found;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(first + i);
      if (error_of(pattern_, in_pattern(at), part[i]) <= tolerance(at)) continue;
      if (found.bad++ == 0) found.first = at;
      found.is_unwritten =
          found.is_unwritten && std::ranges::binary_search(poisoned, static_cast<std::int64_t>(i));
    }
    return found;
  }

  /// An element that is wrong after one that is right, between a right one and a wrong one.
  std::int64_t border(std::int64_t right, std::int64_t wrong) const {
    while (wrong - right > 1) {
      const std::int64_t middle = right + (wrong - right) / 2;
      (mistakes(static_cast<std::size_t>(middle), 1).bad > 0 ? wrong : right) = middle;
    }
    return wrong;
  }

 private:
  std::size_t in_pattern(std::int64_t i) const {
    return static_cast<std::size_t>(i) % pattern_.value.size();
  }

  const Expected& pattern_;
  const Buffer& buffer_;
  Type type_;
  Device& device_;
  std::size_t size_;
};

/// Compares parts of one output, evenly spread.
void compare_output(const RepeatedOutput& output, const Parameter& tensor, const Dims& dims,
                    CaseResult& result) {
  constexpr std::size_t parts = 16, most = 4096;
  const std::size_t length = std::min(most, output.size());
  Mistakes all;
  std::int64_t last_right = -1;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t first = (output.size() - length) * i / (parts - 1);
    const Mistakes found = output.mistakes(first, length);
    result.of += static_cast<std::int64_t>(length);
    all.is_unwritten = all.is_unwritten && found.is_unwritten;
    all.bad += found.bad;
    if (all.first < 0) all.first = found.first;
    if (all.first < 0) last_right = static_cast<std::int64_t>(first + length) - 1;
  }
  if (all.bad == 0) return;
  result.bad += all.bad;
  result.verdict = Verdict::fail;
  if (result.first_bad) return;
  const std::int64_t at = output.border(last_right, all.first);
  const double got = output.read(static_cast<std::size_t>(at), 1)[0];
  const std::string element = element_name(tensor.name, at, dims);
  result.first_bad = FirstBad{.index = index_of(at, dims),
                              .element = element,
                              .output = tensor.name,
                              .got = got,
                              .want = output.wanted(at)};
  result.tolerance = output.tolerance(at);
  result.explanation =
      all.is_unwritten ? fmt::format(
                             "part of {} was never written, such as {}: is the number of blocks "
                             "limited, or does an index overflow?",
                             tensor.name, element)
                       : fmt::format("{} is {} and should be {}: does an index overflow?", element,
                                     number(got), number(output.wanted(at)));
  result.explanation_kind = ExplanationKind::pattern;
}

}  // namespace

std::vector<RepeatedCase> repeated_cases(const Problem& problem) {
  std::vector<RepeatedCase> cases;
  for (std::size_t i = 0; i < problem.cases.front().shape.size(); ++i) {
    if (!repeats_along(problem, i)) continue;
    std::vector<Case> whole;
    for (const Case& one : problem.large_cases) {
      if (is_too_large_for_host(problem, one) &&
          std::ranges::find(cases, one, &RepeatedCase::whole) == cases.end())
        whole.push_back(one);
    }
    const Shape wide = wide_shape(problem, i);
    const auto covers = [&](const Case& one) { return one.shape[i] >= wide[i]; };
    if (std::ranges::none_of(problem.large_cases, covers)) whole.push_back({wide});
    for (const Case& one : whole) {
      if (all_bytes(problem, one.shape) > most_bytes) continue;
      if (const auto repeated = as_repeated(problem, one, i)) cases.push_back(*repeated);
    }
  }
  return cases;
}

void prepare_repeated(const Problem& problem, const Inputs& pattern, const Buffers& buffers,
                      Device& device) {
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const Buffer& buffer = buffers.tensors[i];
    if (tensor.kind == Parameter::Kind::output) {
      device.poison(buffer.data(), buffer.bytes(), poison_word(tensor.type, Poison::first));
      continue;
    }
    const std::span<const std::byte> bytes = pattern[input++].bytes();
    auto* const begin = static_cast<std::byte*>(buffer.data());
    device.upload(begin, bytes.data(), bytes.size());
    for (std::size_t filled = bytes.size(); filled < buffer.bytes();) {
      const std::size_t more = std::min(filled, buffer.bytes() - filled);
      device.copy(begin + filled, begin, more);
      filled += more;
    }
    if (tensor.kind == Parameter::Kind::input) device.make_input(begin, buffer.bytes());
  }
}

CaseResult compare_repeated(const Problem& problem, const RepeatedCase& one, const Outputs& pattern,
                            const Buffers& buffers, Device& device) {
  const Case whole = one.whole();
  CaseResult result{.name = name_of(problem, whole), .tested = whole};
  std::size_t o = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    if (tensor.kind == Parameter::Kind::input) continue;
    compare_output({pattern[o++], buffers.tensors[i], tensor.type, device}, tensor,
                   tensor.dims(one.shape), result);
  }
  return result;
}

}  // namespace kata

#include "judge/repeated.h"

#include <fmt/format.h>

#include <algorithm>

#include "judge/explain.h"
#include "judge/poison.h"

namespace kata {
namespace {

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
  result.first_bad = bad_element(tensor.name, at, dims, got, output.wanted(at));
  const std::string& element = result.first_bad->element;
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
    device.repeat(buffer.data(), buffer.bytes(), pattern[input++].bytes());
    if (tensor.kind == Parameter::Kind::input) device.make_input(buffer.data(), buffer.bytes());
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

// Patterns of sums and maxima that leave out a part of the input.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

/// The leading part of a row-major tensor.
Array leading_part(const Array& x, const Dims& dims, const Dims& part) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count(part); ++i) {
    std::int64_t from = 0, stride = 1, rest = i;
    for (std::size_t d = dims.size(); d-- > 0;) {
      from += rest % part[d] * stride;
      rest /= part[d];
      stride *= dims[d];
    }
    kept.push_back(from);
  }
  return selected(x, kept);
}

/// The right result had one size been `smaller`.
Expected with_smaller_size(const Wrong& wrong, const Shape& smaller) {
  Inputs inputs;
  for (std::size_t i = 0; i < wrong.inputs.size(); ++i) {
    const Parameter& tensor = wrong.problem.signature.inputs[i];
    inputs.push_back(
        leading_part(wrong.inputs[i], tensor.dims(wrong.one_case.shape), tensor.dims(smaller)));
  }
  return reference_of(wrong, inputs, smaller);
}

/// Sizes that a loop may have stopped at instead of n, the likeliest first.
std::vector<int> likely_ends(int n) {
  std::vector<int> ends{n - 1};
  for (int width = 4; width <= 1024; width *= 2) ends.push_back((n - 1) / width * width);
  for (int first = 1 << 16; first >= 4; first /= 2) ends.push_back(first);
  ends.push_back(n / 4);
  ends.push_back(1);
  std::vector<int> result;
  for (int end : ends) {
    if (end > 0 && end < n && std::find(result.begin(), result.end(), end) == result.end()) {
      result.push_back(end);
    }
  }
  return result;
}

/// Whether each input holds one number only, so that all terms look alike.
bool all_terms_equal(const Wrong& wrong) {
  return std::all_of(wrong.inputs.begin(), wrong.inputs.end(), is_constant);
}

/// Whether the output dimensions do not depend on that size: it is summed over, or reduced.
bool is_reduced(const Wrong& wrong, std::size_t size) {
  Shape larger = wrong.one_case.shape;
  ++larger[size];
  return wrong.tensor.dims(larger) == wrong.dims;
}

/// A sum of one term that is 0: both a loop that never runs and one that ends too early do that.
Sentence without_its_only_term(const Wrong& wrong, std::size_t size) {
  const bool zeros = std::all_of(wrong.bad.begin(), wrong.bad.end(),
                                 [&](std::int64_t i) { return got(wrong, i) == 0; });
  if (!zeros) return {};
  return fmt::format(
      "0 for a sum of one term ({} = 1): is the last term left out, or does a loop over whole "
      "vectors or tiles run 0 times? {}",
      size_name(wrong.problem, size), example(wrong, wrong.bad.front()));
}

std::string describe_end(const Wrong& wrong, std::size_t size, int end) {
  const int n = wrong.one_case.shape[size];
  const std::string name = size_name(wrong.problem, size);
  const std::string what = single(wrong) ? "element" : "term";
  if (all_terms_equal(wrong)) {
    return fmt::format("without {0} of the {1} {2}s (all are equal, so any {0} would explain it)",
                       n - end, n, what);
  }
  if (end == 1) return fmt::format("with the first {} alone", what);
  if (end == n / 4) {
    return fmt::format(
        "with the first quarter alone ({} of {} = {}): is a size in bytes taken for one in floats?",
        end, name, n);
  }
  if (end == n - 1) return fmt::format("without the last {} ({} of {} = {})", what, end, name, n);
  return fmt::format("with the first {} {}s alone ({} = {})", end, what, name, n);
}

/// What a maximum shows of where reading ended: only what is larger than it was surely not read.
std::string how_early(const Wrong& wrong) {
  if (!is_maximum(wrong)) return {};
  const auto x = wrong.inputs[0].as<float>();
  const auto read = std::find(x.begin(), x.end(), wrong.got[0]) - x.begin();
  if (read == static_cast<std::ptrdiff_t>(x.size())) return {};
  return fmt::format(", or without any other part of x behind x[{}], such as the last block", read);
}

/// One way of leaving elements out of a reduction over x.
struct Part {
  std::string what;
  std::function<bool(std::size_t)> holds;
};

std::vector<Part> likely_parts(std::size_t n) {
  std::vector<Part> parts;
  for (std::size_t block = 32; block <= 65536 && block < n; block *= 2) {
    const std::size_t last = (n - 1) / block;
    parts.push_back(
        {fmt::format("of the last block of {} alone: each block overwrote the one before?", block),
         [block, last](std::size_t i) { return i / block == last; }});
  }
  const std::vector<Part> strided{
      {"without the first element", [](std::size_t i) { return i != 0; }},
      {"of every other element (0, 2, 4, ...)", [](std::size_t i) { return i % 2 == 0; }},
      // Halving a block of 3, 6, 12, ... elements comes to 3, of which it adds up two.
      {"of two in three elements (0, 1, 3, 4, ...)", [](std::size_t i) { return i % 3 != 2; }},
      {"of every fourth element (0, 4, 8, ...)", [](std::size_t i) { return i % 4 == 0; }}};
  parts.insert(parts.end(), strided.begin(), strided.end());
  for (std::size_t block = 64; block <= 1024; block *= 2) {
    if (block > n) break;
    parts.push_back({fmt::format("of the first warp of each block of {}", block),
                     [block](std::size_t i) { return i % block < 32; }});
    parts.push_back({fmt::format("of the first half of each block of {}", block),
                     [block](std::size_t i) { return i % block < block / 2; }});
    parts.push_back({fmt::format("of the first element of each block of {}", block),
                     [block](std::size_t i) { return i % block == 0; }});
  }
  return parts;
}

bool whole_reduction(const Wrong& wrong) {
  return whole_vector(wrong) && wrong.inputs[0].size() > 1 && cheap_to_evaluate(wrong);
}

}  // namespace

Sentence missing_terms(const Wrong& wrong) {
  const Shape& shape = wrong.one_case.shape;
  if (!cheap_to_evaluate(wrong) || has_indices(wrong.problem)) return {};
  for (std::size_t size = 0; size < shape.size(); ++size) {
    if (!is_reduced(wrong, size)) continue;
    if (shape[size] == 1) {
      if (Sentence sentence = without_its_only_term(wrong, size)) return sentence;
    }
    for (int end : likely_ends(shape[size])) {
      Shape smaller = shape;
      smaller[size] = end;
      if (!is_legal(wrong.problem, smaller)) continue;
      const Expected partial = with_smaller_size(wrong, smaller);
      const auto other = [&](std::int64_t i) { return partial.value[static_cast<std::size_t>(i)]; };
      if (!accounts_for_all(wrong, other)) continue;
      return Explanation(
          as_if(wrong, describe_end(wrong, size, end) + how_early(wrong)),
          all_terms_equal(wrong) ? ExplanationKind::uncertain : ExplanationKind::pattern);
    }
  }
  return {};
}

Sentence part_of_the_input(const Wrong& wrong) {
  if (!whole_reduction(wrong)) return {};
  // Of a maximum several parts have the same: it may be any of them.
  const std::size_t most_told = is_maximum(wrong) ? 3 : 1;
  std::vector<std::string> fitting;
  const Array& x = wrong.inputs[0];
  for (const Part& part : likely_parts(x.size())) {
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (part.holds(i)) kept.push_back(static_cast<std::int64_t>(i));
    }
    if (kept.empty()) continue;
    const int size = static_cast<int>(kept.size());
    const Expected partial = reference_of(wrong, {selected(x, kept)}, {size});
    if (!accounts_for(wrong, 0, partial.value[0])) continue;
    fitting.push_back(fmt::format("{} ({} of {} elements)", part.what, size, x.size()));
    if (fitting.size() == most_told) break;
  }
  if (fitting.empty()) return {};
  return fmt::format("{} is the result {}: {}", wrong.tensor.name, fmt::join(fitting, ", or "),
                     example(wrong, 0));
}

}  // namespace kata::patterns

// The largest sizes that an exercise promises: buffers whose pages repeat, and some blocks of each
// launch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "judge/case_judge.h"
#include "judge/explain.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr std::size_t most_compared = 1 << 17;  ///< elements of all tensors
constexpr std::size_t most_shared = 1 << 20;    ///< elements that all rows use, as a weight
constexpr double most_work = 3e7;               ///< of the reference

void prepare_largest(const Problem& problem, const Case& one_case, const Buffers& buffers,
                     std::uint64_t seed, Device& device) {
  constexpr std::size_t most_floats = 1 << 24;
  const auto is_repeated = [&](const Parameter& tensor) {
    return is_float(tensor.type) && elements(tensor, one_case.shape) > most_floats;
  };
  Inputs inputs;
  if (has_structure(problem))
    inputs = std::ranges::any_of(problem.signature.inputs, is_repeated)
                 ? make_integer_inputs(problem, one_case, seed)
                 : make_inputs(problem, one_case, seed);
  auto drawn = inputs.begin();
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    const Buffer& buffer = buffers.tensors[i];
    if (tensor.kind == Parameter::Kind::output) {
      device.poison(buffer.data(), buffer.bytes(), poison_word(tensor.type));
      continue;
    }
    Array values;
    if (drawn != inputs.end()) values = std::move(*drawn++);
    if (inputs.empty() || is_repeated(tensor))
      values = values_to_repeat(problem, tensor, one_case, Random(seed).stream(i));
    device.repeat(buffer.data(), buffer.bytes(), values.bytes());
    if (tensor.kind == Parameter::Kind::input) {
      device.make_input(buffer.data(), buffer.bytes());
    } else {
      device.mark_unwritten(buffer.data(), buffer.bytes());  // the sample counts first writes
    }
  }
}

/// Neighbouring rows.
struct Rows {
  std::int64_t first, end;
};

/// A case that repeats rows of a larger one, in which they depend on nothing else.
struct SomeRows {
  const Problem& problem;
  const Shape& whole;
  std::size_t dimension;
  std::vector<Rows> rows = {};

  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const Rows& one : rows) sum += one.end - one.first;
    return sum;
  }
  Shape with(std::int64_t size) const {
    Shape shape = whole;
    shape[dimension] = static_cast<int>(size);
    return shape;
  }
  std::size_t row_elements(const Parameter& tensor) const { return elements(tensor, with(1)); }
  bool grows(const Parameter& tensor) const {
    return elements(tensor, with(2)) == 2 * row_elements(tensor);
  }

  Array read(const Parameter& tensor, const Buffer& buffer, Device& device) const {
    const std::size_t row_bytes = row_elements(tensor) * size_of(tensor.type);
    const std::vector<Rows> all{{0, 1}};
    Array values(tensor.type, elements(tensor, grows(tensor) ? with(count()) : whole));
    std::byte* to = values.bytes().data();
    for (const Rows& one : grows(tensor) ? rows : all) {
      const std::size_t bytes = row_bytes * static_cast<std::size_t>(one.end - one.first);
      const auto* const from = static_cast<const std::byte*>(buffer.data());
      device.download(to, from + row_bytes * static_cast<std::size_t>(one.first), bytes);
      to += bytes;
    }
    return values;
  }

  /// The element of the whole tensor that one of read()'s is.
  std::int64_t element(const Parameter& tensor, std::int64_t i) const {
    const auto row_size = static_cast<std::int64_t>(row_elements(tensor));
    std::int64_t row = i / row_size;
    for (const Rows& one : rows) {
      if (row < one.end - one.first) return (one.first + row) * row_size + i % row_size;
      row -= one.end - one.first;
    }
    return i;
  }
};

/// Rows that are on some of the pages, spread over all, as many as may be compared.
std::vector<Rows> rows_on(const std::vector<const void*>& pages, const Buffer& buffer,
                          std::size_t row_bytes, std::size_t most_rows) {
  constexpr std::size_t most_pages = 64;
  const auto* const low = static_cast<const std::byte*>(buffer.data());
  const auto begin = std::ranges::lower_bound(pages, static_cast<const void*>(low));
  const auto end = std::ranges::lower_bound(pages, static_cast<const void*>(low + buffer.bytes()));
  const auto count = static_cast<std::size_t>(end - begin);
  const std::size_t each = std::max<std::size_t>(1, Sample::page_bytes / row_bytes);
  const std::size_t wanted = std::min({count, most_pages, most_rows / each});
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t at = wanted == 1 ? 0 : i * (count - 1) / (wanted - 1);
    const auto page = static_cast<std::size_t>(
        static_cast<const std::byte*>(begin[static_cast<std::ptrdiff_t>(at)]) - low);
    const std::size_t first = page / row_bytes;
    Rows one{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + each)};
    one.end = std::min(one.end, static_cast<std::int64_t>(buffer.bytes() / row_bytes));
    if (!rows.empty()) one.first = std::max(one.first, rows.back().end);
    if (one.first < one.end) rows.push_back(one);
  }
  return rows;
}

/// A dimension along which rows of the outputs depend on the same rows of the inputs alone, if
/// there is one.
std::optional<std::size_t> dimension_of_rows(const Problem& problem, const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] > 1 && rows_show_all(problem, i)) return i;
  return {};
}

/// Rows of the first output that blocks have written, few enough for the reference.
std::vector<Rows> rows_to_compare(const SomeRows& some, const Buffers& buffers,
                                  const Sample& sample) {
  const std::vector<Parameter>& tensors = some.problem.signature.tensors;
  std::size_t of_a_row = 0, shared = 0, output = 0;
  for (const Parameter& tensor : tensors)
    (some.grows(tensor) ? of_a_row : shared) += some.row_elements(tensor);
  if (shared > most_shared) return {};
  const auto by_elements = static_cast<double>(most_compared) / static_cast<double>(of_a_row);
  const auto by_work = most_work / work(some.problem, {some.with(1)});
  while (tensors[output].kind == Parameter::Kind::input) ++output;
  return rows_on(sample.pages, buffers.tensors[output],
                 some.row_elements(tensors[output]) * size_of(tensors[output].type),
                 static_cast<std::size_t>(std::min(by_elements, by_work)));
}

/// Elements that hold poison are those of blocks that did not run. Inputs that are repeated may
/// make results that no float holds: they say nothing.
void compare_output(const SomeRows& some, const Parameter& tensor, const Expected& wanted,
                    const Array& got, CaseResult& result) {
  const std::vector<std::int64_t> unwritten = find_poison(got);
  const double most = is_float(tensor.type) ? largest_finite(tensor.type) : HUGE_VAL;
  result.of += static_cast<std::int64_t>(got.size() - unwritten.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (error_of(wanted, i, got[i]) <= wanted.tolerance_of(i) ||
        std::ranges::binary_search(unwritten, at) || std::fabs(wanted.value[i]) > most)
      continue;
    result.verdict = Verdict::fail;
    if (result.bad++ > 0) continue;
    result.first_bad = bad_element(tensor.name, some.element(tensor, at), tensor.dims(some.whole),
                                   got[i], wanted.value[i]);
    result.tolerance = wanted.tolerance_of(i);
    result.explanation =
        fmt::format("{} is {} and should be {}: does an index overflow?", result.first_bad->element,
                    number(got[i]), number(wanted.value[i]));
    result.explanation_kind = ExplanationKind::pattern;
  }
}

/// Rows that the blocks wrote, compared with the reference; nothing is wrong where outputs depend
/// on too much.
void compare_rows(const Problem& problem, const Buffers& buffers, const Sample& sample,
                  Device& device, CaseResult& result) {
  const auto dimension = dimension_of_rows(problem, result.tested.shape);
  if (!dimension) return;
  SomeRows some{problem, result.tested.shape, *dimension};
  some.rows = rows_to_compare(some, buffers, sample);
  const Case rows{some.with(some.count())};
  if (some.rows.empty() || !is_legal(problem, rows.shape)) return;
  const std::vector<Parameter>& tensors = problem.signature.tensors;
  Inputs inputs;
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].kind == Parameter::Kind::input) {
      inputs.push_back(some.read(tensors[i], buffers.tensors[i], device));
    } else {
      outputs.push_back(i);
    }
  }
  const Outputs expected = expected_outputs(problem, inputs, rows);
  result.of = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::size_t i = outputs[o];
    compare_output(some, tensors[i], expected[o], some.read(tensors[i], buffers.tensors[i], device),
                   result);
  }
}

/// Whether each element of the outputs is written, whatever the inputs are.
bool writes_all(const Problem& problem) {
  if (problem.selects) return false;
  const Case& one = problem.cases.front();
  const Outputs outputs = expected_outputs(problem, make_inputs(problem, one, 1), one);
  return std::ranges::all_of(outputs, [](const Expected& output) { return output.specified < 0; });
}

/// What is wrong if no other block writes more than the most of those that ran, and all together
/// write too little.
std::string too_few_blocks(const Problem& problem, const Buffers& buffers, const Sample& sample) {
  double wanted = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const auto bytes = static_cast<double>(buffers.tensors[i].bytes());
    // Of what is changed in place a few may be right already: the middle of a reversed array.
    constexpr double right_already = 1024;
    if (problem.signature.tensors[i].kind == Parameter::Kind::output) wanted += bytes;
    if (problem.signature.tensors[i].kind == Parameter::Kind::in_out)
      wanted += std::max(0.0, bytes - right_already);
  }
  const double most =
      static_cast<double>(sample.blocks - sample.ran) * static_cast<double>(sample.most_bytes) +
      static_cast<double>(sample.bytes);
  if (most == 0 || most >= wanted || !writes_all(problem)) return {};
  return fmt::format(
      "{} blocks that write up to {} bytes each leave {:.0f} of {:.0f} bytes of the outputs "
      "unwritten at this size: is the number of blocks limited? Does a bound overflow?",
      sample.blocks, sample.most_bytes, wanted - most, wanted);
}

/// Each size that is large a half smaller or a little less, so that tiles and vectors leave as much
/// over.
Shape smaller_with_same_rest(const Problem& problem, Shape shape) {
  constexpr int units[] = {430080, 61440, 12288, 4096, 1024, 64};
  for (int& size : shape) {
    const auto* const unit = std::ranges::find_if(units, [&](int one) { return 4 * one <= size; });
    if (unit != std::end(units)) size -= size / 2 / *unit * *unit;
  }
  return legal(problem, shape);
}

/// Of a call whose blocks do not all run, other findings may be about what they would have done.
bool is_certain(const Finding& finding) {
  constexpr FindingKind certain[] = {FindingKind::out_of_bounds,  FindingKind::misaligned,
                                     FindingKind::invalid_launch, FindingKind::race,
                                     FindingKind::deadlock,       FindingKind::cuda_error};
  return finding.severity == Severity::error &&
         std::ranges::find(certain, finding.kind) != std::end(certain);
}

}  // namespace

bool rows_show_all(const Problem& problem, std::size_t dimension) {
  // Of an in-out buffer nothing shows what was written.
  const auto is_in_out = [](const Parameter& one) { return one.kind == Parameter::Kind::in_out; };
  return std::ranges::none_of(problem.signature.tensors, is_in_out) &&
         has_independent_rows(problem, dimension);
}

std::pair<std::vector<Finding>, Sample> CaseJudge::call_sampled(const Case& one_case,
                                                                const Buffers& buffers,
                                                                Blocks which) {
  device_.run_kernels(which);
  std::vector<Finding> findings = call_prepared(one_case, buffers).findings;
  Sample sample = device_.take_sample();
  device_.run_kernels(Blocks::all);
  device_.take_kernels();
  // Counters that the last block sets back are not as a whole call leaves them.
  if (void* const fresh = fresh_entry()) entry_ = fresh;
  return {std::move(findings), std::move(sample)};
}

std::string CaseJudge::idle_kernel(const Case& one_case, const Sample& sample) {
  const auto is_idle = [](const auto& kernel) { return !kernel.second; };
  if (std::ranges::none_of(sample.kernels, is_idle)) return {};
  const Case smaller{smaller_with_same_rest(problem_, one_case.shape), one_case.values};
  const Buffers buffers = allocate(problem_, smaller.shape, device_);
  if (!buffers.complete) return {};
  events_.sampled(smaller);
  prepare_largest(problem_, smaller, buffers, seed_, device_);
  const Sample before = call_sampled(smaller, buffers, Blocks::some).second;
  for (const auto& [name, uses_memory] : sample.kernels) {
    const auto known = before.kernels.find(name);
    if (!uses_memory && known != before.kernels.end() && known->second)
      return fmt::format(
          "{} neither reads nor writes anything, and does at {}: does a bound overflow?", name,
          name_of(problem_, smaller));
  }
  return {};
}

Sample CaseJudge::sample_of_zeros(const Case& one_case, Blocks which) {
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return {};
  events_.tried(one_case, most_s_of_a_sample);
  zero_unread_inputs(problem_, buffers, device_);
  return call_sampled(one_case, buffers, which).second;
}

bool CaseJudge::check_sample(const Case& one_case) {
  return sample_if_right(one_case).has_value();
}

std::optional<Sample> CaseJudge::sample_if_right(const Case& one_case) {
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return Sample{};
  events_.sampled(one_case);
  prepare_largest(problem_, one_case, buffers, seed_, device_);
  const Blocks which = is_just_beyond_ints(problem_, one_case.shape) ? Blocks::more : Blocks::some;
  auto [findings, sample] = call_sampled(one_case, buffers, which);
  has_steps_ |= sample.kernels.size() > 1;
  std::vector<Finding> overflows;
  for (Finding& one : findings) {
    if (one.kind != FindingKind::integer_overflow) continue;
    one.severity = Severity::error;  // if the case fails
    overflows.push_back(one);
  }
  std::erase_if(findings, [](const Finding& one) { return !is_certain(one); });
  CaseResult result{.name = name_of(problem_, one_case),
                    .tested = one_case,
                    .of = output_elements(problem_, one_case.shape)};
  if (!findings.empty()) {
    findings.insert(findings.begin(), overflows.begin(), overflows.end());
    tell(findings);
    result.verdict = Verdict::fail;
    result.explanation = "the run stopped: " + name_and_place(findings.front());
  } else if (sample.is_final) {
    compare_rows(problem_, buffers, sample, device_, result);
    if (result.verdict == Verdict::fail) tell(overflows);
    const std::string missing = too_few_blocks(problem_, buffers, sample);
    if (!missing.empty() && result.verdict == Verdict::pass) {
      tell({{.kind = FindingKind::output_incomplete, .message = missing}});
      result.verdict = Verdict::fail;
      result.explanation = missing;
    }
  }
  if (result.verdict == Verdict::pass) {
    result.explanation = idle_kernel(one_case, sample);
    if (!result.explanation.empty()) result.verdict = Verdict::fail;
  }
  if (result.verdict == Verdict::fail) events_.finished(result);
  if (result.verdict == Verdict::pass && !sample.has_returned && draws_floats_alone(problem_) &&
      !check_launches(one_case))  // those after a copy of everything, too
    return {};
  return result.verdict == Verdict::pass ? std::optional(std::move(sample)) : std::nullopt;
}

}  // namespace kata

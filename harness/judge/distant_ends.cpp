// The largest sizes of what depends on all elements, as a scan does: inputs that are 0 but for both
// ends, of which a few blocks and the steps between them come to the whole result.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "judge/case_judge.h"
#include "judge/explain.h"

namespace kata {
namespace {

constexpr int each_end = 2;                        ///< elements that are not 0
constexpr int short_size = 64, longer_size = 200;  ///< sizes at which the reference runs
constexpr int trusted_size = 1 << 22;  ///< a kernel that is right there may be judged so

/// The first and last elements positive and different, the others 0.
Inputs inputs_of(const Problem& problem, int size) {
  Inputs inputs;
  for (const Parameter& tensor : problem.signature.inputs) {
    Array& x = inputs.emplace_back(tensor.type, elements(tensor, {size}));
    for (std::size_t i = 0; i < each_end; ++i) {
      x.set(i, 1 + 0.5 * static_cast<double>(i));
      x.set(x.size() - 1 - i, 3 + 0.25 * static_cast<double>(i));
    }
  }
  return inputs;
}

Outputs outputs_of(const Problem& problem, int size) {
  const Case one{{size}};
  return expected_outputs(problem, inputs_of(problem, size), one);
}

/// An element of the output at the short size, and where it is at another one.
struct EndPlace {
  std::size_t in_short, at;
};

/// What it is where so many zeros were put in the middle: the index of one of the last elements is
/// larger by as many.
double with_zeros(const Parameter& tensor, double in_short, double in_longer, int zeros) {
  const bool is_index = !is_float(tensor.type) && in_longer == in_short + longer_size - short_size;
  return is_index ? in_short + zeros : in_short;
}

/// Those that zeros in the middle leave alone: all of an output that does not grow, what is
/// specified of a selection, else both ends.
std::vector<EndPlace> places_of(const Parameter& tensor, const Expected& expected, int size) {
  const std::size_t few = elements(tensor, {short_size}), all = elements(tensor, {size});
  const bool grows = few != all;
  const std::size_t specified =
      expected.specified < 0 ? few : static_cast<std::size_t>(expected.specified);
  std::vector<EndPlace> places;
  for (std::size_t i = 0; i < std::min(few, specified); ++i) {
    const bool is_head = expected.specified >= 0 || i < each_end;
    if (!grows || is_head) places.push_back({i, i});
    if (grows && !is_head && i >= few - each_end) places.push_back({i, all - few + i});
  }
  return places;
}

/// Whether the problem has one size, and zeros between its ends change nothing at the ends.
bool ends_show_all(const Problem& problem) {
  const Signature& signature = problem.signature;
  const auto is_vector_of_floats = [](const Parameter& one) {
    return one.type == Type::f32 && one.kind == Parameter::Kind::input &&
           elements(one, {longer_size}) == longer_size;
  };
  if (signature.integers.size() != 1 || problem.arrange ||
      signature.integers[0].most < trusted_size ||
      !std::ranges::all_of(signature.inputs, is_vector_of_floats) ||
      signature.inputs.size() + signature.outputs.size() != signature.tensors.size())
    return false;
  const Outputs few = outputs_of(problem, short_size), more = outputs_of(problem, longer_size);
  for (std::size_t o = 0; o < few.size(); ++o) {
    if (few[o].specified != more[o].specified && few[o].specified >= 0) return false;
    for (const EndPlace& place : places_of(signature.outputs[o], few[o], longer_size)) {
      const double before = few[o].value[place.in_short], now = more[o].value[place.at];
      if (with_zeros(signature.outputs[o], before, now, longer_size - short_size) != now)
        return false;
    }
  }
  return true;
}

void fill(const Problem& problem, const Buffers& buffers, Device& device) {
  zero_unread_inputs(problem, buffers, device);
  const Inputs ends = inputs_of(problem, short_size);
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    if (problem.signature.tensors[i].kind == Parameter::Kind::output) continue;
    const std::span<const std::byte> bytes = ends[input++].bytes();
    const std::size_t half = bytes.size() / 2;
    auto* const low = static_cast<std::byte*>(buffers.tensors[i].data());
    auto* const last = low + buffers.tensors[i].bytes() - half;
    device.upload(low, bytes.data(), half);
    device.upload(last, bytes.data() + half, half);
    for (std::byte* const end : {low, last}) device.mark_unwritten(end, half);
  }
}

bool has_read_ends(const Problem& problem, const Buffers& buffers, const Device& device) {
  constexpr std::size_t bytes_of_an_end = each_end * sizeof(float);
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const auto* const low = static_cast<const std::byte*>(buffers.tensors[i].data());
    const std::size_t last = buffers.tensors[i].bytes() - bytes_of_an_end;
    if (problem.signature.tensors[i].kind == Parameter::Kind::input &&
        (device.any_unwritten(low, bytes_of_an_end) ||
         device.any_unwritten(low + last, bytes_of_an_end)))
      return false;
  }
  return true;
}

/// What is wrong if no block of a launch reads more than the most of those at its ends, and that
/// leaves as much as a block reads to nobody.
std::string too_few_reads(const Problem& problem, const Buffers& buffers, const Sample& sample) {
  double wanted = 0, all = 0, most = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i)
    if (problem.signature.tensors[i].kind == Parameter::Kind::input)
      wanted += static_cast<double>(buffers.tensors[i].bytes());
  for (const FirstReads& launch : sample.reads) {
    all += static_cast<double>(launch.blocks) * static_cast<double>(launch.most_bytes);
    most = std::max(most, static_cast<double>(launch.most_bytes));
  }
  if (all + most > wanted) return {};
  return fmt::format(
      "blocks that read up to {:.0f} bytes of the inputs each leave {:.0f} of {:.0f} bytes to "
      "nobody at this size: is the number of blocks limited?",
      most, wanted - all, wanted);
}

/// Compares what is at the ends with what the short size has there.
void compare_ends(const Problem& problem, const Buffers& buffers, Device& device,
                  CaseResult& result) {
  const Outputs expected = outputs_of(problem, short_size);
  const Outputs longer = outputs_of(problem, longer_size);
  const int size = result.tested.shape[0];
  std::size_t output = 0;
  result.of = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    if (tensor.kind == Parameter::Kind::input) continue;
    const Expected& with_few = longer[output];
    Expected wanted = expected[output++];
    Array got(tensor.type, 1);
    const std::vector<EndPlace> in_longer = places_of(tensor, wanted, longer_size);
    for (std::size_t p = 0; const EndPlace& place : places_of(tensor, wanted, size)) {
      double& value = wanted.value[place.in_short];
      value = with_zeros(tensor, value, with_few.value[in_longer[p++].at], size - short_size);
      const auto* const low = static_cast<const std::byte*>(buffers.tensors[i].data());
      device.download(got.bytes().data(), low + place.at * got.bytes().size(), got.bytes().size());
      ++result.of;
      if (error_of(wanted, place.in_short, got[0]) <= wanted.tolerance_of(place.in_short)) continue;
      result.verdict = Verdict::fail;
      if (result.bad++ > 0) continue;
      result.first_bad =
          bad_element(tensor.name, static_cast<std::int64_t>(place.at),
                      tensor.dims(result.tested.shape), got[0], wanted.value[place.in_short]);
      result.tolerance = wanted.tolerance_of(place.in_short);
      result.explanation = fmt::format(
          "where all inputs but the first {} and the last {} are 0, {} is {} and should be {}: is "
          "a table, or what one block does with the results of others, too small for this "
          "size?",
          each_end, each_end, result.first_bad->element, number(got[0]),
          number(wanted.value[place.in_short]));
    }
  }
}

}  // namespace

void zero_unread_inputs(const Problem& problem, const Buffers& buffers, Device& device) {
  const std::uint32_t zero = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Buffer& buffer = buffers.tensors[i];
    device.repeat(buffer.data(), buffer.bytes(), std::as_bytes(std::span(&zero, 1)));
    if (problem.signature.tensors[i].kind == Parameter::Kind::input)
      device.mark_unwritten(buffer.data(), buffer.bytes());
  }
}

std::optional<CaseResult> CaseJudge::judged_at_ends(const Case& one_case, std::uint64_t* readers) {
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return {};
  events_.tried(one_case, most_s_of_a_sample);
  fill(problem_, buffers, device_);
  const auto [findings, sample] = call_sampled(one_case, buffers, Blocks::few);
  const auto most = std::ranges::max_element(sample.reads, {}, &FirstReads::most_bytes);
  if (readers && most != sample.reads.end()) *readers = most->blocks;
  if (!sample.is_whole || first_error(findings)) return {};
  CaseResult result{.name = name_of(problem_, one_case),
                    .tested = one_case,
                    .explanation = too_few_reads(problem_, buffers, sample)};
  if (!result.explanation.empty()) {
    result.verdict = Verdict::fail;
  } else if (has_read_ends(problem_, buffers, device_)) {
    compare_ends(problem_, buffers, device_, result);
  } else {
    return {};
  }
  return result;
}

bool CaseJudge::check_ends(const std::vector<Case>& largest) {
  if (!ends_show_all(problem_)) return true;
  std::uint64_t readers = 0;
  const auto is_trusted = [&](int size) {
    const auto result = judged_at_ends({{size}}, &readers);
    return result && result->verdict == Verdict::pass;  // else it takes more blocks than these
  };
  const auto is_right = [&](const Case& one) {
    const auto result = judged_at_ends(one, &readers);
    if (result && result->verdict != Verdict::pass) events_.finished(*result);
    return !result || result->verdict == Verdict::pass;
  };
  const int most = problem_.signature.integers[0].most;
  bool trusted = is_trusted(trusted_size);
  if (trusted) {
    // Most tables and steps divide the largest size, and some lose the rest.
    std::vector<Case> cases = largest;
    cases.push_back({{most - 256 * 1024 - 510}});
    if (!std::ranges::all_of(cases, is_right)) return false;
  }
  // Where the last block takes the last turn of a loop over the grid, for any elements of a turn.
  constexpr std::uint64_t most_of_a_turn = 1 << 14;
  const std::uint64_t turn = readers * most_of_a_turn;
  if (turn == 0 || turn > static_cast<std::uint64_t>(most)) return true;
  const auto whole_turns = [&](int size) {
    return static_cast<int>(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size) / turn) *
                            turn);
  };
  trusted = trusted || is_trusted(whole_turns(trusted_size));
  return !trusted || is_right({{whole_turns(most)}});
}

}  // namespace kata

#include "practice/interview/general_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "judge/judge.h"
#include "support/text.h"
#include "timing/chip.h"

namespace kata {
namespace {

std::vector<std::string> tensors_of(const Problem& problem, Parameter::Kind kind) {
  std::vector<std::string> names;
  for (const Parameter& one : problem.signature.tensors)
    if (one.kind == kind) names.push_back("`" + one.name + "`");
  return names;
}

std::string is_or_are(const std::vector<std::string>& names) {
  return fmt::format("{} {}", listed(names), names.size() == 1 ? "is" : "are");
}

std::string about_aliasing(const Problem& problem) {
  const auto inputs = tensors_of(problem, Parameter::Kind::input),
             in_place = tensors_of(problem, Parameter::Kind::in_out);
  const std::string own = in_place.empty() ? "No: the result has memory of its own."
                                           : is_or_are(in_place) + " updated in place.";
  const std::string kept =
      inputs.empty() ? "" : fmt::format(" {} must not change.", listed(inputs));
  return own + kept + " No two buffers overlap, so `__restrict__` is correct.";
}

/// "No library (CUB, ...): ... are allowed." of the constraints; empty if they do not say so.
std::string about_libraries(const std::string& constraints) {
  std::istringstream words(constraints);
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  const std::size_t begin = text.find("No library"), end = text.find("are allowed.", begin);
  return end == std::string::npos ? "" : text.substr(begin, text.find('.', end) + 1 - begin);
}

/// Also what holds between them, since sizes are asked about one at a time.
std::string about_sizes(const Problem& problem) {
  std::vector<std::string> sizes;
  for (const Parameter& one : problem.signature.integers)
    sizes.push_back(fmt::format("`{}` is {} to {}", one.name, one.least, one.most));
  const std::string besides =
      problem.limits.text.empty() ? "" : fmt::format(" What also holds: {}.", problem.limits.text);
  const std::string most = sizes.size() < 2 ? ""
                                            : fmt::format(" No tensor has more than {} elements.",
                                                          problem.most_elements);
  return fmt::format(
      "From the smallest to the largest: {}.{}{} They are arguments, so a compiler does not know "
      "them, and calls differ.",
      fmt::join(sizes, ", "), besides, most);
}

/// "`x` and `values` are `float`, `indices` is `int`."
std::string about_types(const Problem& problem) {
  std::map<std::string, std::vector<std::string>> names;
  bool is_short = false;
  for (const Parameter& one : problem.signature.tensors) {
    names[cuda_name(one.type)].push_back("`" + one.name + "`");
    is_short |= is_float(one.type) && size_of(one.type) < 4;
  }
  std::vector<std::string> kinds;
  for (const auto& [type, of] : names) kinds.push_back(fmt::format("{} `{}`", is_or_are(of), type));
  return fmt::format("By their elements, {}. All sizes are `int`.{}", fmt::join(kinds, ", "),
                     is_short ? "" : " Nothing is in half precision.");
}

std::string about_layout(const Problem& problem) {
  return fmt::format(
      "Every tensor is dense and row-major in the dimensions that the task names: rows follow each "
      "other without padding, so there is no pitch and no leading dimension. All are in {}.",
      uses_devices(problem) ? "the memory of their device" : "device memory");
}

/// What must be right of the outputs, as the answers at a few small sizes show it: at the smallest
/// even a rounded result may be exact.
struct Wanted {
  std::vector<std::string> exact, rounded;
  bool has_rest = false;  ///< behind what is specified
};

Wanted wanted_of(const Problem& problem) {
  constexpr std::size_t fewest = 5;
  constexpr double small = 1e6;
  std::vector<bool> is_exact(problem.signature.outputs.size(), true);
  Wanted wanted;
  std::size_t seen = 0;
  for (const Case& one : problem.cases) {
    if (seen > 0 && work(problem, one) > small) continue;
    if (++seen > fewest) break;
    const Outputs answers = expected_outputs(problem, make_inputs(problem, one, 1), one);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].alternative.empty() ||
          std::ranges::any_of(answers[i].tolerance, [](double some) { return some != 0; }))
        is_exact[i] = false;
      wanted.has_rest |= answers[i].specified >= 0;
    }
  }
  for (std::size_t i = 0; i < is_exact.size(); ++i)
    (is_exact[i] ? wanted.exact : wanted.rounded)
        .push_back("`" + problem.signature.outputs[i].name + "`");
  return wanted;
}

std::string about_output(const Problem& problem, const Wanted& wanted) {
  const auto outputs = tensors_of(problem, Parameter::Kind::output),
             in_place = tensors_of(problem, Parameter::Kind::in_out);
  std::string text;
  if (!outputs.empty()) {
    text +=
        fmt::format("{} wanted. Before the call {} only meaningless values: ", is_or_are(outputs),
                    outputs.size() == 1 ? "it holds" : "they hold");
    text += wanted.has_rest ? "write all that the task defines; the rest may hold anything. "
                            : "write all, also zeros. ";
  }
  if (!in_place.empty()) text += is_or_are(in_place) + " updated in place. ";
  return text +
         "Nothing that the signature does not name is computed or saved, for a backward pass or "
         "anything else.";
}

std::string about_determinism(const Wanted& wanted) {
  std::string text;
  if (!wanted.exact.empty())
    text += is_or_are(wanted.exact) + " defined exactly, so every run must give the same numbers. ";
  if (!wanted.rounded.empty())
    text += is_or_are(wanted.rounded) +
            " compared with a tolerance: two runs may differ in their last bits. ";
  return text + "Atomics are allowed where their order does not show beyond that.";
}

std::string about_scratch() {
  return "No workspace is passed, but you may allocate memory, for partial results too, and launch "
         "several kernels. An allocation within the call is part of its time. Memory in a static "
         "variable may stay from call to call, if it still works when sizes change.";
}

std::string about_method() {
  return "Yours to choose, as long as the constraints hold and results are right: the algorithm, "
         "grid and block, shared memory, shuffles, atomics, intrinsics and tensor cores. A block "
         "of an H200 can have 48 KiB of shared memory, and 227 KiB if you set the kernel's "
         "attribute. "
         "Libraries alone are not allowed.";
}

/// "`n` = 4096, `k` = 64"
std::string marked_sizes(const Problem& problem, const Shape& shape) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    sizes.push_back(fmt::format("`{}` = {}", problem.signature.integers[i].name, shape[i]));
  return joined(sizes, ", ");
}

std::string about_speed(const Problem& problem) {
  if (uses_devices(problem))
    return "On a machine with enough GPUs, all devices begin at once, and the longest time of any "
           "counts, beside a copy over the links. Elsewhere the devices are emulated, and nothing "
           "is "
           "timed.";
  std::string text =
      "On a GPU, kata times whole calls with CUDA events, after a warm-up and with a flushed L2, "
      "and takes the median; without one it estimates the time on an H200. It compares with its "
      "own best solution and with a limit: all tensors move once, or all operations run at the "
      "peak.";
  const Result<Chip> chip = find_chip("h200");
  if (!chip || problem.bench_shapes.empty()) return text;
  const Shape& shape = problem.bench_shapes.front();
  const Cost cost = problem.cost(shape);
  const double bytes = cost.bytes_read + cost.bytes_written;
  const double memory = bytes / chip->memory_bytes_per_s;
  const double arithmetic = cost.operations / operations_per_s(*chip, cost.unit);
  return fmt::format(
      "{} At {} the limit of an H200, with {} multiprocessors, is {:.3g} us: {}.", text,
      marked_sizes(problem, shape), chip->multiprocessors, 1e6 * std::max(memory, arithmetic),
      memory >= arithmetic
          ? fmt::format("{:.3g} GB at {:.3g} TB/s", bytes / 1e9, chip->memory_bytes_per_s / 1e12)
          : fmt::format("{:.3g} billion operations at {:.0f} trillion a second",
                        cost.operations / 1e9, operations_per_s(*chip, cost.unit) / 1e12));
}

}  // namespace

void add_general_topics(const Problem& problem, ExerciseText& text) {
  const auto find = [&](std::initializer_list<const char*> topics) {
    return std::ranges::find_if(text.clarify, [&](const Question& one) {
      return std::ranges::find(topics, one.topic) != topics.end();
    });
  };
  const auto add = [&](const char* topic, const char* question, const std::string& answer) {
    if (!answer.empty())
      text.clarify.push_back(
          {.topic = topic, .question = question, .answer = answer, .is_general = true});
  };
  // Where an exercise has a topic of its own, its answer is the first part.
  const auto complete = [&](std::initializer_list<const char*> topics, const char* question,
                            const std::string& answer) {
    if (const auto own = find(topics); own != text.clarify.end())
      own->answer += "\n\n" + answer;
    else
      add(*topics.begin(), question, answer);
  };
  const Wanted wanted = wanted_of(problem);
  const std::string sizes = about_sizes(problem), types = about_types(problem);
  if (const auto own = find({"sizes"}); own != text.clarify.end()) own->answer += "\n\n" + sizes;
  if (const auto own = find({"precision", "accuracy"}); own != text.clarify.end())
    own->answer += "\n\n" + types;
  complete({"target", "speed"}, "Which GPU, and how is speed measured?", about_speed(problem));
  complete({"layout"}, "How are the tensors stored?", about_layout(problem));
  complete({"output", "result"}, "Which results do you want?", about_output(problem, wanted));
  add("smallest", "How small and how large can the sizes be?", sizes);
  add("types", "Of which types are inputs and outputs?", types);
  if (find({"aliasing", "in-place", "inplace"}) == text.clarify.end())
    add("aliasing", "In place? Do buffers overlap?", about_aliasing(problem));
  if (find({"launch", "launches", "scratch", "workspace", "memory"}) == text.clarify.end())
    add("scratch", "May I allocate memory, and launch several kernels?", about_scratch());
  if (find({"determinism", "equal"}) == text.clarify.end())
    add("determinism", "Must every run give the same result?", about_determinism(wanted));
  add("method", "Which algorithm may I use, and what of the GPU?", about_method());
  if (find({"launch", "launches"}) == text.clarify.end())
    add("libraries", "May I call a library?", about_libraries(text.constraints));
}

}  // namespace kata

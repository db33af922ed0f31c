#include "practice/interview/general_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "practice/interview/facts.h"
#include "practice/interview/rubric.h"
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

/// "`x` and `values` are arrays of `float`, `indices` is an array of `int`."
std::string about_types(const Problem& problem) {
  std::map<std::string, std::vector<std::string>> names;
  bool is_short = false;
  for (const Parameter& one : problem.signature.tensors) {
    names[cuda_name(one.type)].push_back("`" + one.name + "`");
    is_short |= is_float(one.type) && size_of(one.type) < 4;
  }
  std::vector<std::string> kinds;
  for (const auto& [type, of] : names)
    kinds.push_back(
        fmt::format("{} {} of `{}`", is_or_are(of), of.size() == 1 ? "an array" : "arrays", type));
  return fmt::format("{}. All sizes are `int`.{}", fmt::join(kinds, ", "),
                     is_short ? "" : " Nothing is in half precision.");
}

std::string about_layout(const Problem& problem) {
  return fmt::format(
      "Every tensor is dense and row-major in the dimensions that the task names: rows follow each "
      "other without padding, so there is no pitch and no leading dimension. All are in {}.",
      uses_devices(problem) ? "the memory of their device" : "device memory");
}

std::string about_output(const Problem& problem, const Wanted& wanted) {
  const auto outputs = tensors_of(problem, Parameter::Kind::output),
             in_place = tensors_of(problem, Parameter::Kind::in_out);
  std::string text;
  if (!outputs.empty()) {
    const bool has_integers = std::ranges::any_of(
        problem.signature.outputs, [](const Parameter& one) { return !is_float(one.type); });
    text += fmt::format(
        "Write {}. Before the call {} {}, so {}. ", listed(outputs),
        outputs.size() == 1 ? "it holds" : "they hold", has_integers ? "meaningless values" : "NaN",
        wanted.has_rest ? "write all that the task defines; the rest may hold anything"
                        : "zeros must be written, too");
  }
  if (!in_place.empty()) text += is_or_are(in_place) + " updated in place. ";
  return text + "Nothing else is computed or saved.";
}

std::string about_determinism(const Wanted& wanted) {
  std::string text;
  if (!wanted.exact.empty())
    text += is_or_are(wanted.exact) + " defined exactly, so every run must give the same numbers. ";
  if (!wanted.rounded.empty())
    text += is_or_are(wanted.rounded) +
            " compared with a tolerance: two runs may differ in their last bits. ";
  return text + "Atomics are allowed.";
}

/// Memory and launches.
std::string about_scratch(const Problem& problem, const ExerciseText& text) {
  if (scratch_of(problem))
    return sentences_with(text.constraints, {"scratch", "llocate", "more kernels"});
  return "No workspace is passed, but you may allocate memory, for partial results too, and launch "
         "several kernels. Free what you allocate. An allocation within the call is part of its "
         "time. Memory in a static "
         "variable may stay from call to call, if it still works when sizes change.";
}

/// Of an exercise that says nothing of its own about them.
std::string about_tensor_cores(const Problem& problem) {
  if (problem.cost(problem.cases.front().shape).unit != ArithmeticUnit::fma)
    return "Yes: the types and the tolerance suit them.";
  return "Nothing here asks for them. They would round floats to TF32 or half, with 11 significant "
         "bits, and what leaves the tolerance is rejected.";
}

std::string about_accuracy(const Wanted& wanted) {
  std::vector<std::string> texts;
  if (!wanted.exact.empty()) texts.push_back(is_or_are(wanted.exact) + " compared exactly.");
  if (!wanted.rounded.empty())
    texts.push_back(is_or_are(wanted.rounded) + " compared with a tolerance, element by element.");
  if (!wanted.tolerance.empty()) texts.push_back(wanted.tolerance);
  if (!wanted.rounded.empty())
    texts.emplace_back(
        "Within it you may use FMA, fast intrinsics such as `__expf` and "
        "`rsqrtf`, approximations and double.");
  return joined(texts, " ");
}

/// The sizes that are timed, typical ones, and whether they fit in what is fast.
std::string about_caches(const Problem& problem) {
  const Result<Chip> chip = find_chip("h200");
  if (!chip || problem.bench_shapes.empty() || uses_devices(problem)) return "";
  const Shape& shape = problem.bench_shapes.front();
  std::vector<std::string> texts;
  for (const Parameter& one : problem.signature.tensors) {
    const double bytes =
        static_cast<double>(elements(one, shape)) * static_cast<double>(size_of(one.type));
    texts.push_back(fmt::format("`{}` has {:.3g} {}", one.name,
                                bytes < 1e6 ? bytes / 1e3 : bytes / 1e6,
                                bytes < 1e6 ? "kB" : "MB"));
  }
  return fmt::format(
      "At {} {}. An H200 has {:.0f} MB of L2, and a block at most 227 KiB of shared memory. Other "
      "sizes differ, so check before you rely on it.",
      marked_sizes(problem, shape), listed(texts), chip->l2_bytes / 1e6);
}

std::string about_grading() {
  return fmt::format(
      "First by right results: in every case, at the edges of the sizes and at large ones, "
      "without races and accesses out of bounds. Then by speed beside the best rung of the "
      "ladder. The rubric shows the points: {} for your questions, {} for results, {} for "
      "clean memory, {} for speed, {} for the launch and the time used.",
      asked_points, main_points + edge_points, clean_points, efficiency_points,
      launch_points + time_points);
}

/// "Speed is measured at 8192x4096, 65536x128."
std::string timed_sizes_text(const Problem& problem) {
  std::vector<std::string> sizes;
  for (const Shape& one : problem.bench_shapes) sizes.push_back(to_string(one));
  return sizes.empty() ? "" : fmt::format(" Speed is measured at {}.", listed(sizes));
}

std::string about_method() {
  return "Yours to choose, as long as the constraints hold and results are right: the algorithm, "
         "grid and block, shared memory, shuffles, atomics and intrinsics. A block of an H200 can "
         "have 48 KiB of shared memory, and 227 KiB if you set the kernel's attribute. Templates, "
         "inline PTX and cooperative groups are allowed. A block may wait for another one only "
         "where both are sure to run: in a cooperative launch (`grid.sync()`), or for one that "
         "took an earlier ticket.";
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

/// The exercise's questions, to which the general ones are added.
class Topics {
 public:
  explicit Topics(ExerciseText& text) : all_(text.clarify), own_(all_.size()) {
    constexpr std::size_t most = 20;
    all_.reserve(own_ + most);  // pointers to the exercise's own questions stay
  }

  /// Of the exercise's own, the first with one of these names.
  Question* own(std::initializer_list<const char*> topics) {
    for (const char* topic : topics)
      for (std::size_t i = 0; i < own_; ++i)
        if (all_[i].topic == topic) return &all_[i];
    return nullptr;
  }

  /// Of the exercise's own, the first whose question has such a word, else one of these topics
  /// whose answer has it.
  Question* own_with(std::initializer_list<const char*> words,
                     std::initializer_list<const char*> topics) {
    const auto has = [&](const std::string& text) {
      return std::ranges::any_of(
          words, [&](const char* word) { return text.find(word) != std::string::npos; });
    };
    for (std::size_t i = 0; i < own_; ++i)
      if (has(all_[i].question)) return &all_[i];
    for (const char* topic : topics)
      if (Question* one = own({topic}); one && has(one->answer)) return one;
    return nullptr;
  }

  /// An empty answer adds no topic.
  void add(const char* topic, const char* question, const std::string& answer) {
    if (!answer.empty())
      all_.push_back({.topic = topic, .question = question, .answer = answer, .is_general = true});
  }

  /// What the exercise says itself comes first, if it has such a question.
  void complete(Question* own, const char* topic, const char* question, const std::string& answer) {
    if (!own) return add(topic, question, answer);
    add_unless(own, topic, question, "");
    if (own->answer.find(answer) == std::string::npos) own->answer += "\n\n" + answer;
  }

  /// Where the exercise has such a question, its answer is enough.
  void add_unless(Question* own, const char* topic, const char* question,
                  const std::string& answer) {
    if (!own) return add(topic, question, answer);
    if (own->topic != topic) own->also.emplace_back(topic);
  }

 private:
  std::vector<Question>& all_;
  const std::size_t own_;
};

}  // namespace

void add_general_topics(const Problem& problem, ExerciseText& text) {
  Topics topics(text);
  const Wanted wanted = wanted_of(problem);
  const std::string sizes = sizes_text(problem), shapes = shapes_text(problem);
  topics.complete(topics.own({"sizes"}), "sizes", "How large are the sizes?",
                  sizes + " " + shapes + timed_sizes_text(problem));
  topics.complete(topics.own({"target", "speed"}), "target",
                  "Which GPU, and how is speed measured?", about_speed(problem));
  topics.complete(topics.own({"layout"}), "layout", "How are the tensors stored?",
                  shapes + " " + about_layout(problem) + timed_sizes_text(problem));
  topics.complete(topics.own({"output", "result"}), "output", "Which results do you want?",
                  about_output(problem, wanted));
  topics.complete(topics.own({"precision", "accuracy", "exactness"}), "accuracy",
                  "How accurate must the results be?", about_accuracy(wanted));
  topics.complete(topics.own({"values", "infinities", "overflow", "range"}), "values",
                  "Which values occur? Any NaN?", values_text(problem, text));
  topics.complete(topics.own({"scale", "scaling", "extras", "formula", "form"}), "definition",
                  "What exactly is computed, and is anything else applied?", formula_text(text));
  Question* const memory = topics.own({"launch", "launches", "scratch", "workspace"});
  topics.complete(memory ? memory : topics.own_with({"llocate"}, {}), "scratch",
                  "May I allocate memory, and launch several kernels?",
                  about_scratch(problem, text));
  topics.add("smallest", "How small and how large can the sizes be?", sizes);
  topics.add("types", "Of which types are inputs and outputs?", about_types(problem));
  topics.add("streams", "Which work runs beside mine, and may I use streams?",
             sentences_with(text.constraints, {"stream", "arlier work", "synchron"}));
  topics.add_unless(topics.own({"aliasing", "in-place", "inplace"}), "aliasing",
                    "In place? Do buffers overlap?", about_aliasing(problem));
  topics.add_unless(topics.own({"determinism", "equal"}), "determinism",
                    "Must every run give the same result?", about_determinism(wanted));
  topics.add("method", "Which algorithm may I use, and what of the GPU?", about_method());
  topics.add("cache", "Does it fit in the L2 cache, or in shared memory?", about_caches(problem));
  topics.add("grading", "How is my solution judged?", about_grading());
  topics.add_unless(topics.own_with({"ensor core", "TF32", "wmma"}, {"precision", "accuracy"}),
                    "tensor-cores", "May I use tensor cores?", about_tensor_cores(problem));
  topics.add_unless(topics.own_with({"ibrar", "CUB"}, {"launch", "launches"}), "libraries",
                    "May I call a library?", about_libraries(text.constraints));
  topics.add(clock_topic, "How much time is left?",
             "The prompt says how much is left, and `time` how long you have worked.");
}

}  // namespace kata

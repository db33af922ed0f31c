#include "practice/interview/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "judge/judge.h"
#include "support/text.h"

namespace kata {
namespace {

constexpr double quick = 1e6;  // to compute, in operations and bytes

std::string marked(const std::string& name) {
  return "`" + name + "`";
}

/// "2^28", or a number of five digits at most as it is.
std::string size_text(int size) {
  constexpr int shown = 100'000;
  const auto bits = static_cast<unsigned>(size);
  return size >= shown && std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits))
                                                    : fmt::to_string(size);
}

// Sizes by which a dimension is recognised: no product, sum or part of some is another one.
constexpr int probes[][9] = {
    {256 * 3, 256 * 5, 256 * 7, 256 * 11, 256 * 13, 256 * 17, 256 * 19, 256 * 23, 256 * 29},
    {256 * 31, 256 * 37, 256 * 41, 256 * 43, 256 * 47, 256 * 53, 256 * 59, 256 * 61, 256 * 67}};

/// What a dimension is in words of the sizes: "n", "rows * k", "n - k + 1", "dim / 2", "1";
/// nothing where it is none of these. The first probe proposes, the second one confirms.
std::optional<std::string> dimension_text(const Parameter& tensor, std::size_t place,
                                          const std::vector<Parameter>& sizes) {
  using Value = std::int64_t;
  std::vector<std::pair<std::string, std::function<Value(const Shape&)>>> forms;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string& name = sizes[i].name;
    forms.emplace_back(name, [i](const Shape& at) { return Value{at[i]}; });
    forms.emplace_back(name + " + 1", [i](const Shape& at) { return Value{at[i]} + 1; });
    for (const int part : {2, 4, 8, 16, 32, 64, 128})
      forms.emplace_back(fmt::format("{} / {}", name, part),
                         [i, part](const Shape& at) { return Value{at[i]} / part; });
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::string& other = sizes[k].name;
      if (i < k)
        forms.emplace_back(name + " * " + other,
                           [i, k](const Shape& at) { return Value{at[i]} * at[k]; });
      if (i != k)
        forms.emplace_back(name + " - " + other + " + 1",
                           [i, k](const Shape& at) { return Value{at[i]} - at[k] + 1; });
      if (i != k)
        forms.emplace_back(name + " / " + other,
                           [i, k](const Shape& at) { return Value{at[i]} / at[k]; });
    }
  }
  Shape one(sizes.size()), two(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    one[i] = sizes[i].counts_devices ? 8 : probes[0][i];
    two[i] = sizes[i].counts_devices ? 4 : probes[1][i];
  }
  const Value at_one = tensor.dims(one).at(place), at_two = tensor.dims(two).at(place);
  for (const auto& [text, form] : forms)
    if (form(one) == at_one && form(two) == at_two) return text;
  if (at_one == at_two) return fmt::to_string(at_one);
  return {};
}

/// "[rows, cols]"; the first dimension of what is on each device says which one.
std::string shape_text(const Problem& problem, const Parameter& tensor) {
  const std::vector<Parameter>& sizes = problem.signature.integers;
  if (sizes.size() > std::size(probes[0])) return "";
  const Shape main =
      problem.bench_shapes.empty() ? problem.cases.front().shape : problem.bench_shapes.front();
  const Dims at_main = tensor.dims(main);
  std::vector<std::string> dims;
  for (std::size_t i = tensor.is_on_each_device ? 1 : 0; i < at_main.size(); ++i) {
    const std::optional<std::string> text = dimension_text(tensor, i, sizes);
    if (!text)
      return fmt::format("[{}] at {}", fmt::join(at_main, ", "), marked_sizes(problem, main));
    dims.push_back(*text);
  }
  return fmt::format("{}{}",
                     dims.empty() || dims == std::vector<std::string>{"1"}
                         ? "one number"
                         : fmt::format("[{}]", fmt::join(dims, ", ")),
                     tensor.is_on_each_device ? " on each device" : "");
}

/// Without the parts that the ranges of the sizes say already: "k <= n" of "k <= n, k <= 2048"; a
/// part that says what follows from one goes with it.
std::string limits_text(const Problem& problem) {
  std::vector<std::string> rest;
  bool was_known = false;
  for (const std::string& part : split(problem.limits.text, ',')) {
    const std::string text(trimmed(part));
    if (text.starts_with("so ") && was_known) continue;
    const bool is_known = std::ranges::any_of(problem.signature.integers, [&](const auto& one) {
      return text == fmt::format("{} <= {}", one.name, one.most) ||
             text == fmt::format("{} is at most {}", one.name, one.most);
    });
    was_known = is_known;
    if (!is_known && !text.empty()) rest.push_back(text);
  }
  return joined(rest, ", ");
}

/// Of the largest quick case of plain numbers, an element of middling size.
std::string tolerance_at(const Problem& problem, const Case& one, const Outputs& answers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Expected& answer = answers[i];
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < answer.value.size(); ++k)
      if (answer.tolerance_of(k) > 0 && std::isfinite(answer.value[k])) order.push_back(k);
    if (order.empty()) continue;
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::ranges::nth_element(order, middle, {},
                             [&](std::size_t k) { return std::abs(answer.value[k]); });
    texts.push_back(fmt::format("an element of {} near {:.2g} may be off by {:.1g}",
                                marked(problem.signature.outputs[i].name), answer.value[*middle],
                                answer.tolerance_of(*middle)));
  }
  return texts.empty() ? ""
                       : fmt::format("At {}, for example, {}.", marked_sizes(problem, one.shape),
                                     listed(texts));
}

/// The answers of those cases that are computed soonest, the largest of them last.
std::vector<Case> quick_cases(const Problem& problem) {
  constexpr std::size_t fewest = 5;
  std::vector<Case> cases;
  for (const Case& one : problem.cases)
    if (cases.size() < fewest && (cases.empty() || work(problem, one) <= quick))
      cases.push_back(one);
  std::ranges::stable_sort(cases, {}, [&](const Case& one) {
    return std::pair(one.values == Values::normal, work(problem, one));
  });
  return cases;
}

}  // namespace

std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> paragraphs(1);
  for (const std::string& line : lines_of(text)) {
    const std::string part(trimmed(line));
    const bool is_point = part.starts_with("- ");
    if (line.starts_with("    ") || part.empty() || is_point) paragraphs.emplace_back();
    if (line.starts_with("    ") || part.starts_with("|")) continue;
    std::string& last = paragraphs.back();
    last += (last.empty() ? "" : " ") + part.substr(is_point ? 2 : 0);
  }
  std::vector<std::string> sentences;
  for (const std::string& paragraph : paragraphs) {
    std::size_t begin = 0;
    for (std::size_t end; begin < paragraph.size(); begin = end) {
      end = paragraph.find(". ", begin);
      end = end == std::string::npos ? paragraph.size() : end + 2;
      sentences.emplace_back(trimmed(paragraph.substr(begin, end - begin)));
    }
  }
  return sentences;
}

std::string sentences_with(const std::string& text, const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const std::string& sentence : sentences_of(text)) {
    if (std::ranges::any_of(words, [&](const std::string& word) {
          return sentence.find(word) != std::string::npos;
        }))
      found.push_back(sentence);
  }
  return joined(found, " ");
}

std::string marked_sizes(const Problem& problem, const Shape& shape) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    sizes.push_back(fmt::format("{} = {}", marked(problem.signature.integers[i].name), shape[i]));
  return joined(sizes, ", ");
}

std::string shapes_text(const Problem& problem) {
  std::vector<std::pair<std::string, std::vector<std::string>>> shapes;
  for (const Parameter& tensor : problem.signature.tensors) {
    const std::string shape = shape_text(problem, tensor);
    auto same = std::ranges::find(shapes, shape, &decltype(shapes)::value_type::first);
    if (same == shapes.end()) same = shapes.insert(shapes.end(), {shape, {}});
    same->second.push_back(marked(tensor.name));
  }
  std::vector<std::string> texts;
  for (const auto& [shape, names] : shapes) {
    if (shape.empty()) return "";
    texts.push_back(
        fmt::format("{} {} {}", listed(names), names.size() == 1 ? "is" : "are", shape));
  }
  return fmt::format("{}.", fmt::join(texts, ", "));
}

std::string sizes_text(const Problem& problem) {
  std::vector<std::string> sizes;
  for (const Parameter& one : problem.signature.integers)
    sizes.push_back(
        fmt::format("{} is {} to {}", marked(one.name), size_text(one.least), size_text(one.most)));
  std::string text = fmt::format("{}.", fmt::join(sizes, ", "));
  if (sizes.size() > 1)
    text += fmt::format(" No tensor has more than {} elements.", problem.most_elements);
  const std::string limits = limits_text(problem);
  if (!limits.empty()) text += fmt::format(" Also: {}.", limits);
  return text + (limits.empty() ? " Any size" : " Otherwise any size") +
         " in these ranges occurs, a multiple of anything or not; sizes are known only at run "
         "time.";
}

std::string formula_text(const ExerciseText& text) {
  std::string formula;
  bool is_code = false;
  for (const std::string& line : lines_of(text.task)) {
    if (!line.starts_with("    ")) {
      if (is_code && !formula.empty() && !trimmed(line).empty()) break;
      is_code = false;
      continue;
    }
    is_code = true;
    if (trimmed(line).starts_with("//") || trimmed(line).starts_with("extern")) break;
    formula += line + "\n";
  }
  if (!formula.empty())
    return "The task says it in a formula, and nothing else is applied:\n\n" + formula;
  const std::vector<std::string> sentences = sentences_of(text.task);
  return sentences.empty() ? "" : sentences.front() + " Nothing else is applied.";
}

std::string values_text(const Problem& problem, const ExerciseText& text) {
  const std::string ranges = sentences_with(text.constraints, {"Ranges: "});
  const std::size_t begin = ranges.find("; ");
  std::vector<std::string> sentences;
  if (begin != std::string::npos) sentences.push_back("Inputs: " + ranges.substr(begin + 2));
  const std::vector<std::string> about = {"NaN", "infinit"},
                                 of_outputs = {"arrives", "filled", "before the call"};
  bool speaks_of_nan = false;
  for (const std::string& one : sentences_of(text.constraints)) {
    const auto has = [&](const std::string& word) { return one.find(word) != std::string::npos; };
    if (one.starts_with("Ranges") || !std::ranges::any_of(about, has) ||
        std::ranges::any_of(of_outputs, has))
      continue;
    speaks_of_nan |= has("NaN");
    sentences.push_back(one);
  }
  const bool has_floats = std::ranges::any_of(
      problem.signature.inputs, [](const Parameter& one) { return is_float(one.type); });
  if (!has_floats) sentences.emplace_back("The inputs are integers: there is no NaN.");
  if (has_floats && !speaks_of_nan) {
    bool has_nan = false;
    for (const Case& one : quick_cases(problem))
      for (const Array& input : make_inputs(problem, one, 1))
        for (std::size_t i = 0; i < input.size(); ++i) has_nan |= std::isnan(input[i]);
    sentences.emplace_back(has_nan ? "NaN occurs where it must not reach a result."
                                   : "No input holds NaN.");
  }
  return joined(sentences, " ");
}

Wanted wanted_of(const Problem& problem) {
  std::vector<bool> is_exact(problem.signature.outputs.size(), true);
  Wanted wanted;
  for (const Case& one : quick_cases(problem)) {
    const Outputs answers = expected_outputs(problem, make_inputs(problem, one, 1), one);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].alternative.empty() ||
          std::ranges::any_of(answers[i].tolerance, [](double some) { return some != 0; }))
        is_exact[i] = false;
      wanted.has_rest |= answers[i].specified >= 0;
    }
    if (std::string text = tolerance_at(problem, one, answers); !text.empty())
      wanted.tolerance = std::move(text);
  }
  for (std::size_t i = 0; i < is_exact.size(); ++i)
    (is_exact[i] ? wanted.exact : wanted.rounded)
        .push_back(marked(problem.signature.outputs[i].name));
  return wanted;
}

}  // namespace kata

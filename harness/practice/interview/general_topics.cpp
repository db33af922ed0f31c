#include "practice/interview/general_topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "support/text.h"

namespace kata {
namespace {

std::vector<std::string> tensors_of(const Problem& problem, Parameter::Kind kind) {
  std::vector<std::string> names;
  for (const Parameter& one : problem.signature.tensors)
    if (one.kind == kind) names.push_back("`" + one.name + "`");
  return names;
}

std::string about_aliasing(const Problem& problem) {
  const auto inputs = tensors_of(problem, Parameter::Kind::input),
             in_place = tensors_of(problem, Parameter::Kind::in_out);
  const std::string own = in_place.empty()
                              ? "No: the result has memory of its own."
                              : fmt::format("{} {} updated in place.", listed(in_place),
                                            in_place.size() == 1 ? "is" : "are");
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

/// "The smallest: `rows` is 1, `cols` is 1."
std::string smallest_sizes(const Problem& problem) {
  std::vector<std::string> sizes;
  for (const Parameter& one : problem.signature.integers)
    sizes.push_back(fmt::format("`{}` is {}", one.name, one.least));
  return fmt::format("The smallest: {}.", fmt::join(sizes, ", "));
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
  if (const auto sizes = find({"sizes"}); sizes != text.clarify.end())
    sizes->answer += "\n\n" + smallest_sizes(problem);
  add("smallest", "How small can the sizes be?", smallest_sizes(problem));
  if (find({"aliasing", "in-place"}) == text.clarify.end())
    add("aliasing", "In place? Do buffers overlap?", about_aliasing(problem));
  if (find({"launch", "launches"}) == text.clarify.end())
    add("libraries", "May I call a library?", about_libraries(text.constraints));
}

}  // namespace kata

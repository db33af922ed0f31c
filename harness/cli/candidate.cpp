#include "cli/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "cli/nearest.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

bool looks_like_a_path(const std::string& text) {
  std::error_code ignored;
  return text.find('/') != std::string::npos || text.ends_with(".cu") ||
         fs::is_regular_file(text, ignored);
}

/// exercises/softmax/softmax.cu by its path is the exercise, too.
const Problem* exercise_at(const fs::path& path) {
  std::error_code ignored;
  for (const Problem& problem : problems()) {
    if (fs::equivalent(path, exercise(problem.name), ignored)) return &problem;
  }
  return nullptr;
}

Result<Candidate> find_file(const std::string& path, const std::string& operator_name) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Error{fmt::format("{} is a folder; name a .cu file in it", path)};
  }
  if (!fs::exists(path, ignored)) return Error{fmt::format("there is no file {}", path)};
  Candidate candidate{.source = path};
  if (const Problem* problem = exercise_at(path)) {
    candidate.problem = problem;
    candidate.is_exercise = true;
  }
  if (operator_name.empty()) return candidate;
  const Result<const Problem*> wanted = find_operator(operator_name);
  if (!wanted) return wanted.error();
  candidate.is_exercise = candidate.is_exercise && candidate.problem == *wanted;
  candidate.problem = *wanted;
  return candidate;
}

std::vector<std::string> names_of(const std::vector<Rung>& rungs) {
  std::vector<std::string> names;
  for (const Rung& rung : rungs) names.push_back(rung.name);
  return names;
}

bool matches(const Rung& rung, const std::string& text) {
  const bool has_number = rung.number > 0 && text == std::to_string(rung.number);
  return has_number || text == rung.name || text + ".cu" == rung.path.filename() ||
         text == rung.path.filename() || rung.name.ends_with("_" + text);
}

}  // namespace

Result<const Problem*> find_operator(const std::string& name) {
  if (const Problem* problem = find_problem(name)) return problem;
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  return Error{fmt::format("there is no operator {}. Did you mean {}? There are: {}", name,
                           nearest(name, names), fmt::join(names, ", "))};
}

Result<Candidate> find_candidate(const std::string& name_or_path,
                                 const std::string& operator_name) {
  if (!find_problem(name_or_path) && looks_like_a_path(name_or_path)) {
    return find_file(name_or_path, operator_name);
  }
  const Result<const Problem*> problem = find_operator(name_or_path);
  if (!problem) return problem.error();
  const fs::path source = exercise(name_or_path);
  std::error_code ignored;
  if (!fs::exists(source, ignored)) {
    return Error{fmt::format("there is no exercise {}. Get it back with: {} reset {}",
                             shown(source), command_name(), name_or_path)};
  }
  return Candidate{.source = source, .problem = *problem, .is_exercise = true};
}

Result<Rung> find_rung(const std::string& operator_name, const std::string& rung) {
  const std::vector<Rung> rungs = ladder(operator_name);
  const std::vector<Rung> others = libraries(operator_name);
  if (rungs.empty()) {
    return Error{fmt::format("{} holds no solutions", shown(solutions(operator_name)))};
  }
  if (rung.empty()) return rungs.back();
  for (const std::vector<Rung>* choices : {&rungs, &others}) {
    for (const Rung& one : *choices) {
      if (matches(one, rung)) return one;
    }
  }
  return Error{fmt::format("{} has no rung {}. There are: {}", operator_name, rung,
                           fmt::join(names_of(rungs), ", "))};
}

Result<Shape> parse_shape(const std::string& text) {
  const Error wrong{
      fmt::format("--size {} is no size: give positive numbers like 1000 or 256x1024", text)};
  Shape shape;
  const char* place = text.data();
  const char* const end = place + text.size();
  while (true) {
    int number = 0;
    const auto [next, failed] = std::from_chars(place, end, number);
    if (failed != std::errc() || number <= 0) return wrong;
    shape.push_back(number);
    if (next == end) return shape;
    if (*next != 'x') return wrong;
    place = next + 1;
  }
}

}  // namespace kata::cli

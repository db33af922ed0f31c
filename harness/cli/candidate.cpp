#include "cli/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "practice/sealed.h"
#include "report/report.h"
#include "support/nearest.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

bool looks_like_a_path(const std::string& text) {
  std::error_code ignored;
  return text.find('/') != std::string::npos || text.ends_with(".cu") ||
         fs::is_regular_file(text, ignored);
}

Result<CandidateArguments> parse_arguments(const CandidateOptions& options) {
  CandidateArguments arguments{.entry = options.entry};
  if (!options.operator_name.empty()) {
    const Result<const Problem*> problem = find_operator(options.operator_name);
    if (!problem) return problem.error();
    arguments.problem = *problem;
  }
  if (!options.size.empty()) {
    const Result<Shape> shape = parse_shape(options.size);
    if (!shape) return shape.error();
    arguments.size = *shape;
  }
  return arguments;
}

/// The exercise of that operator, or the rung that --solution names.
Result<fs::path> file_of(const Problem& problem, const std::optional<std::string>& solution) {
  if (solution) {
    const Result<Rung> rung = find_rung(problem.name, *solution);
    if (!rung) return rung.error();
    return rung->path;
  }
  const fs::path path = exercise(problem.name);
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  return no_exercise(problem.name);
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

Error no_exercise(const std::string& operator_name) {
  std::error_code ignored;
  const bool has_stub = fs::exists(stub(operator_name), ignored);
  return {fmt::format("there is no exercise {}. Get it{} with: {} {}",
                      shown(exercise(operator_name)), has_stub ? " back" : "", command_name(),
                      has_stub ? "reset " + operator_name : "init")};
}

Result<const Problem*> find_operator(const std::string& name) {
  if (const Problem* problem = find_problem(name)) return problem;
  constexpr std::size_t telling = 3;  // letters
  std::vector<std::string> names, with_it;
  for (const Problem& problem : problems()) {
    names.push_back(problem.name);
    if (name.size() >= telling && problem.name.find(name) != std::string::npos)
      with_it.push_back(problem.name);
  }
  const std::string meant =
      with_it.size() > 1 ? fmt::format("{}", fmt::join(with_it, ", ")) : nearest(name, names);
  return Error{fmt::format("there is no operator {}.{} {} list shows all operators", name,
                           meant.empty() ? "" : fmt::format(" Did you mean {}?", meant),
                           command_name())};
}

namespace {

/// The .cu file in the folder of `typed` whose name is nearest; empty if none is near.
std::string file_near(const fs::path& typed) {
  const fs::path folder = typed.has_parent_path() ? typed.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".cu" && !name.starts_with('.')) names.push_back(name);
  }
  const std::string found = nearest(typed.filename().string(), names);
  if (found.empty()) return {};
  return typed.has_parent_path() ? (typed.parent_path() / found).string() : found;
}

}  // namespace

Result<Candidate> find_candidate(const CandidateOptions& options) {
  Result<CandidateArguments> arguments = parse_arguments(options);
  if (!arguments) return arguments.error();
  const bool is_file =
      !options.solution && !find_problem(options.what) && looks_like_a_path(options.what);
  std::error_code ignored;
  if (is_file && !fs::exists(options.what, ignored)) {
    const std::string near = file_near(options.what);
    return Error{fmt::format("there is no file {}{}", options.what,
                             near.empty() ? "" : fmt::format(". Did you mean {}?", near))};
  }
  if (is_file) {
    if (const auto reason = sealed(options.what)) return *reason;
    return read_candidate(options.what, *arguments);
  }
  const Result<const Problem*> problem = find_operator(options.what);
  if (!problem) {
    const std::string near = options.solution ? "" : file_near(options.what + ".cu");
    if (near.empty()) return problem.error();
    return Error{
        fmt::format("there is no operator {}. Did you mean the file {}?", options.what, near)};
  }
  if (arguments->problem && arguments->problem != *problem) {
    return Error{fmt::format("{} computes {}, not {}: leave out --operator, or name a file",
                             options.what, options.what, options.operator_name)};
  }
  arguments->problem = *problem;
  const Result<fs::path> path = file_of(**problem, options.solution);
  if (!path) return path.error();
  return read_candidate(*path, *arguments);
}

int not_written(const Problem& problem, const std::string& verb, const std::string& command,
                const std::string& more, bool json) {
  const std::vector<Rung> rungs = ladder(problem.name);
  const std::string words =
      fmt::format("{} is not written yet: there is nothing to {}.", problem.name, verb);
  if (json) {
    fail({words}, true);
    return exit_status(Verdict::not_attempted);
  }
  fmt::print("{}\n", words);
  if (!rungs.empty())
    fmt::print("The fastest rung of the ladder:\n  {} {} {} --solution {}{}\n", command_name(),
               command, problem.name, fastest_rung(problem, rungs).number, more);
  return exit_status(Verdict::not_attempted);
}

Result<Rung> find_rung(const std::string& operator_name, const std::string& rung) {
  const std::vector<Rung> rungs = ladder(operator_name);
  const std::vector<Rung> others = libraries(operator_name);
  if (rungs.empty()) {
    return Error{fmt::format("{} holds no solutions", shown(solutions(operator_name)))};
  }
  if (rung.empty()) {
    const Problem* const problem = find_problem(operator_name);
    return problem ? fastest_rung(*problem, rungs) : rungs.back();
  }
  for (const std::vector<Rung>* choices : {&rungs, &others}) {
    for (const Rung& one : *choices) {
      if (matches(one, rung)) return one;
    }
  }
  return Error{fmt::format("{} has no rung {}. There are: {}", operator_name, rung,
                           fmt::join(names_of(rungs), ", "))};
}

}  // namespace kata::cli

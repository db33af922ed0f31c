// What a person is given: the stub and the README.
#include <fmt/format.h>

#include "compile/compile.h"
#include "contribute/checks.h"
#include "grading/grade.h"
#include "practice/exercise/exercise_text.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::contribute {
namespace {

constexpr std::size_t fewest_clarifying_questions = 5, fewest_hints = 3, fewest_follow_ups = 3;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void require(std::vector<std::string>& details, std::size_t count, std::size_t fewest,
             const std::string& what) {
  if (count < fewest)
    details.push_back(fmt::format("{} {}; write at least {}", count, what, fewest));
}

/// "TODO" in a file: "file:line: the rest of the line"
void find_todos(const std::filesystem::path& file, std::vector<std::string>& details) {
  int number = 0;
  for (const std::string& line : lines_of(read_file(file).value_or(""))) {
    ++number;
    const std::size_t at = line.find("TODO");
    if (at != std::string::npos)
      details.push_back(fmt::format("{}:{}: {}", shown(file), number, line.substr(at)));
  }
}

}  // namespace

OperatorCheck check_todos(const Problem& problem) {
  std::vector<std::string> details;
  find_todos(root() / "harness" / "problems" / (problem.name + ".cpp"), details);
  for (const std::filesystem::path& folder :
       {exercise(problem.name).parent_path(), solutions(problem.name)}) {
    std::error_code no_folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder, no_folder)) {
      find_todos(entry.path(), details);
    }
  }
  return check_of("skeleton", "filled in", details);
}

OperatorCheck check_stub(const Problem& problem) {
  const std::filesystem::path file = stub(problem.name);
  std::vector<std::string> details;
  const Report report = grade(file, {.problem = &problem}, {.with_ladder = false});
  if (report.verdict == Verdict::error) {
    details.push_back(report.error);
  } else if (const Result<Module> module = compile({.source = file}); !module) {
    details.push_back(module.error().message);
  }
  const std::optional<std::string> own = read_file(exercise(problem.name));
  if (!own)
    details.push_back(fmt::format("there is no {}: copy {} to it", shown(exercise(problem.name)),
                                  file.filename().string()));
  if (details.empty() && own != read_file(file)) {
    return {"stub", OperatorCheck::State::missing,
            fmt::format("{} differs: restore the stub before you commit: harness/kata reset {}",
                        shown(exercise(problem.name)), problem.name)};
  }
  return check_of("stub", "compiles, and counts as not attempted", details);
}

OperatorCheck check_readme(const Problem& problem) {
  const Result<ExerciseText> text = read_exercise_text(problem.name);
  if (!text) return check_of("README", "", {text.error().message});
  std::vector<std::string> details;
  const std::string signature = "extern \"C\" " + declaration(problem);
  if (!contains(text->task, signature))
    details.push_back("the task does not show the signature: " + signature);
  require(details, text->clarify.size(), fewest_clarifying_questions, "clarifying questions");
  require(details, text->hints.size(), fewest_hints, "hints");
  require(details, text->follow_up.size(), fewest_follow_ups, "follow-up questions");
  for (const std::string& hint : text->hints) {
    if (contains(hint, "__global__") || contains(hint, "<<<"))
      details.push_back("a hint holds code: " + hint.substr(0, hint.find('\n')));
  }
  return check_of("README",
                  fmt::format("{} clarifying questions, {} hints, {} follow-ups",
                              text->clarify.size(), text->hints.size(), text->follow_up.size()),
                  details);
}

}  // namespace kata::contribute

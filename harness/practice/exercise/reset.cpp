#include "practice/exercise/reset.h"

#include <fmt/format.h>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// The stub, or what an interview made of it.
bool was_given(const std::string& operator_name, const std::string& text,
               const std::string& pristine) {
  const Problem* const problem = find_problem(operator_name);
  return text == pristine || (problem && text == interview_text(*problem, pristine));
}

/// Returns the id of the attempt that the text is kept as.
Result<std::int64_t> keep(const std::string& operator_name, const std::string& text,
                          Result<History>& history) {
  if (!history) return history.error();
  const auto id = history->add(
      Attempt{.operator_name = operator_name, .kind = AttemptKind::reset, .text = text});
  if (!id) return id;
  const Event event{.operator_name = operator_name, .kind = Event::Kind::reset};
  if (const auto error = history->add(event)) return *error;
  return id;
}

}  // namespace

std::string interview_text(const Problem& problem, const std::string& stub) {
  std::size_t code = 0;
  while (stub.compare(code, 2, "//") == 0 && stub.find('\n', code) != std::string::npos)
    code = stub.find('\n', code) + 1;
  return fmt::format(
      "// {}: {}.\n"
      "//\n"
      "// Ask the interviewer what you need to know. You may change the launch and add "
      "kernels.\n{}",
      problem.name, problem.summary, stub.substr(code));
}

bool differs_from_stub(const std::string& operator_name) {
  const std::optional<std::string> text = read_file(exercise(operator_name));
  return !text || !was_given(operator_name, *text, read_file(stub(operator_name)).value_or(""));
}

Result<std::optional<std::int64_t>> reset_exercise(const std::string& operator_name,
                                                   Result<History> history) {
  const fs::path file = exercise(operator_name);
  const std::optional<std::string> pristine = read_file(stub(operator_name));
  if (!pristine) return Error{fmt::format("cannot read the stub {}", shown(stub(operator_name)))};

  const std::optional<std::string> text = read_file(file);
  if (text == pristine) return std::optional<std::int64_t>();
  std::optional<std::int64_t> id;
  std::error_code ignored;
  if (!text && fs::exists(file, ignored)) {
    return Error{
        fmt::format("cannot read {}, so it could not be kept; nothing was changed", shown(file))};
  }
  if (text && !was_given(operator_name, *text, *pristine)) {
    const Result<std::int64_t> kept = keep(operator_name, *text, history);
    if (!kept) {
      return Error{
          fmt::format("your text was not kept, so nothing was changed: {}", kept.error().message)};
    }
    id = *kept;
  }
  if (const std::string reason = write_file(file, *pristine); !reason.empty()) {
    return Error{fmt::format("cannot write {} ({}); it is as it was", shown(file), reason)};
  }
  return id;
}

}  // namespace kata

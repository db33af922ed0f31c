#include "serve/exercise_file.h"

#include <fmt/format.h>

#include <mutex>

#include "compile/hash.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::serve {
namespace {

FileText with_version(const std::string& text) {
  return {text, Hash().add(text).hex()};
}

}  // namespace

Result<FileText> read_exercise(const std::string& operator_name) {
  const auto path = exercise(operator_name);
  const auto text = read_file(path);
  if (!text) return Error{fmt::format("cannot read {}", path.string())};
  return with_version(*text);
}

Result<Saved> save_exercise(const std::string& operator_name, const std::string& text,
                            const std::string& base) {
  static std::mutex one_at_a_time;  // two tabs: the second sees what the first wrote
  const std::lock_guard lock(one_at_a_time);
  const Result<FileText> before = read_exercise(operator_name);
  if (!before) return before.error();
  if (before->text == text) return Saved{.now = *before};
  if (before->version != base) return Saved{.now = *before, .conflict = true};
  const auto path = exercise(operator_name);
  if (const std::string reason = write_file(path, text); !reason.empty())
    return Error{fmt::format("cannot write {}: {}", path.string(), reason)};
  return Saved{.now = with_version(text)};
}

}  // namespace kata::serve

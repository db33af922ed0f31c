#include "serve/edited_file.h"

#include <fmt/format.h>

#include <mutex>

#include "compile/hash.h"
#include "support/files.h"

namespace kata::serve {
namespace {

FileText with_version(const std::string& text) {
  return {text, Hash().add(text).hex()};
}

}  // namespace

Result<FileText> read_text(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return Error{fmt::format("cannot read {}", file.string())};
  return with_version(*text);
}

Result<Saved> save_text(const std::filesystem::path& file, const std::string& text,
                        const std::string& base) {
  static std::mutex one_at_a_time;  // two tabs: the second sees what the first wrote
  const std::lock_guard lock(one_at_a_time);
  const Result<FileText> before = read_text(file);
  if (!before) return before.error();
  if (before->text == text) return Saved{.now = *before};
  if (before->version != base) return Saved{.now = *before, .conflict = true};
  if (const std::string reason = write_file(file, text); !reason.empty())
    return Error{fmt::format("cannot write {}: {}", file.string(), reason)};
  return Saved{.now = with_version(text)};
}

}  // namespace kata::serve

#include "practice/reset.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <optional>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// kept/softmax/2026-11-21-070312.cu; with -2, -3, ... if that is taken.
fs::path place_to_keep(const std::string& operator_name) {
  const fs::path folder = state_folder() / "kept" / operator_name;
  const std::string time = fmt::format("{:%Y-%m-%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  fs::path path = folder / (time + ".cu");
  std::error_code ignored;
  for (int i = 2; fs::exists(path, ignored); ++i) {
    path = folder / fmt::format("{}-{}.cu", time, i);
  }
  return path;
}

}  // namespace

bool differs_from_stub(const std::string& operator_name) {
  const std::optional<std::string> text = read_file(exercise(operator_name));
  return !text || text != read_file(stub(operator_name));
}

Result<fs::path> reset_exercise(const std::string& operator_name) {
  const fs::path file = exercise(operator_name);
  const std::optional<std::string> pristine = read_file(stub(operator_name));
  if (!pristine) return Error{fmt::format("cannot read the stub {}", shown(stub(operator_name)))};

  const std::optional<std::string> text = read_file(file);
  fs::path kept;
  std::error_code ignored;
  if (!text && fs::exists(file, ignored)) {
    return Error{
        fmt::format("cannot read {}, so it could not be kept; nothing was changed", shown(file))};
  }
  if (text && text != pristine) {
    kept = place_to_keep(operator_name);
    if (const std::string reason = write_file(kept, *text); !reason.empty()) {
      return Error{fmt::format("cannot keep your text as {} ({}); nothing was changed",
                               kept.string(), reason)};
    }
  }
  if (const std::string reason = write_file(file, *pristine); !reason.empty()) {
    return Error{fmt::format("cannot write {} ({}); it is as it was", shown(file), reason)};
  }
  return kept;
}

}  // namespace kata

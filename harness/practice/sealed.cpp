#include "practice/sealed.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "practice/history.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

bool seals(const SessionRecord& session, const fs::path& file) {
  const auto json = nlohmann::json::parse(session.data, nullptr, /*allow_exceptions=*/false);
  const auto sealed = json.find(sealed_key);
  std::error_code failed;
  return sealed != json.end() && sealed->is_string() &&
         fs::equivalent(sealed->get<std::string>(), file, failed);
}

}  // namespace

fs::path drills_folder() {
  return practice_folder() / "drills";
}

std::optional<Error> sealed(const fs::path& file) {
  std::error_code failed;
  const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
  if (!fs::equivalent(folder, drills_folder(), failed)) return {};
  const Result<History> history = History::open();
  if (!history) return {};
  const auto open = history->open_sessions();
  if (!open || std::none_of(open->begin(), open->end(),
                            [&](const SessionRecord& one) { return seals(one, file); })) {
    return {};
  }
  return Error{fmt::format("{} is for reading until you have answered: {} drill", shown(file),
                           command_name())};
}

}  // namespace kata

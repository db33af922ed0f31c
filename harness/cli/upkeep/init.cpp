// kata init: a folder of the person's own to practise in, where kata is a package.
#include <fmt/format.h>

#include "cli/commands.h"
#include "practice/exercise/practice_folder.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int init(const std::string& folder) {
  if (!is_installed()) {
    return fail({fmt::format("this kata is a clone: your exercises are in {}",
                             shown(root() / "exercises"))});
  }
  const std::filesystem::path place =
      folder.empty() ? practice_folder() : std::filesystem::absolute(folder).lexically_normal();
  const Result<Copied> copied = make_practice_folder(place);
  if (!copied) return fail(copied.error());
  fmt::print("{}: {} exercises added", shown(place / "exercises"), copied->added);
  if (copied->renewed > 0) fmt::print(", {} stubs renewed", copied->renewed);
  if (copied->kept > 0) fmt::print(", {} with your text kept as they are", copied->kept);
  fmt::print(".\nNext: see what to do\n  {}\n", command_name());
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Session& session) {
  static std::string folder;
  Command(app, "init", "Copy the exercises to a folder of yours")
      .optional_operand("folder", folder, "Where to; else the last one, or ~/kata")
      .does([&session] { session.status = init(folder); });
}

}  // namespace kata::cli

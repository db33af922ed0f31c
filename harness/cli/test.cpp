// kata test: the launcher configures, builds and runs the tests, since they rebuild this program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

int test(const Session& session) {
  const std::string launcher = (root() / "harness" / "kata").string();
  setenv("KATA_BUILD", program_folder().c_str(), 1);
  const char* const yes = session.yes ? "--yes" : nullptr;
  execl(launcher.c_str(), launcher.c_str(), "test", yes, static_cast<char*>(nullptr));
  return fail({fmt::format("cannot start {}: {}", launcher, std::strerror(errno))});
}

}  // namespace

void add_test(CLI::App& app, Session& session) {
  Command(app, "test", "Every test of this project").does([&session] {
    session.status = test(session);
  });
}

}  // namespace kata::cli

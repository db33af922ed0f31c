// kata-check: the commands that a newcomer begins with. What they need is half of the build, so a
// new clone's first verdict waits for this program alone. The launcher reads which commands it has.
#include "cli/cli.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace kata::cli;
  const Program program{
      .commands = {add_check, add_hint, add_run, add_bench, add_profile, add_list,
                   add_entry_points},
      .other_commands = {"watch",      "interview", "asm",    "diagnose", "remote", "grade",
                         "show",       "diff",      "report", "site",     "serve",  "reset",
                         "history",    "review",    "quiz",   "drill",    "plan",   "edit",
                         "progress",   "export",    "import", "doctor",   "config", "init",
                         "completion", "man",       "test",   "new"}};
  return run_command(program, argc, argv);
}

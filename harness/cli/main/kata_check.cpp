// kata-check: the commands of kata that judge or run one file. What they need is half of the build,
// so a new clone's first verdict waits for this program alone.
#include "cli/cli.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace kata::cli;
  const Program program{.commands = {add_check, add_run, add_bench, add_profile, add_entry_points}};
  return run_command(program, argc, argv);
}

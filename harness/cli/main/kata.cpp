// kata: every command. The help, the manual, completion and docs/commands.md come from this list.
#include "cli/cli.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace kata::cli;
  const Program program{
      .commands = {add_check,         add_watch,     add_hint,         add_interview,
                   add_run,           add_bench,     add_profile,      add_asm,
                   add_diagnose,      add_remote,    add_grade,        add_list,
                   add_show,          add_diff,      add_report,       add_site,
                   add_serve,         add_reset,     add_history,      add_review,
                   add_quiz,          add_drill,     add_plan,         add_edit,
                   add_progress,      add_export,    add_import,       add_doctor,
                   add_config,        add_init,      add_completion,   add_man,
                   add_test,          add_new,       add_entry_points, add_keep_profiles,
                   add_keep_assembly, add_serve_jobs},
      .without_command = next_step};
  return run_command(program, argc, argv);
}

#pragma once
// One function per command, each in a file of its own: it adds the command's options and what the
// command does when it is chosen.

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "config/config.h"
#include "support/result.h"

namespace kata::cli {

/// What all commands share.
struct Session {
  bool plain = false;              ///< --plain: no colour, no progress line, no pager
  bool yes = false;                ///< --yes: asks nothing
  int status = 0;                  ///< what the process exits with
  bool says_how_it_ended = false;  ///< also after Ctrl-C
  Config config = {};              ///< what the person prefers; options come before it
  std::vector<std::string> program_arguments = {};  ///< behind `--` of `kata run`
  std::vector<std::string> typed = {};              ///< every word behind "kata"
};

inline constexpr int exit_error = 2;

/// Prints "kata: ..." on standard error.
void warn(const std::string& message);

/// The same, below a tool's own words; returns exit_error. `json`: as an object on standard output.
int fail(const Error& error, bool json = false);

/// On standard output; bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::json& json);

/// "there is no setting chpi. Did you mean chip? ..."
std::string no_such_setting(const std::string& key);

void add_list(CLI::App& app, Session& session);
void add_watch(CLI::App& app, Session& session);
void add_hint(CLI::App& app, Session& session);
void add_interview(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_profile(CLI::App& app, Session& session);
void add_asm(CLI::App& app, Session& session);
void add_diagnose(CLI::App& app, Session& session);
void add_remote(CLI::App& app, Session& session);
void add_grade(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_diff(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_site(CLI::App& app, Session& session);
void add_serve(CLI::App& app, Session& session);
void add_reset(CLI::App& app, Session& session);
void add_history(CLI::App& app, Session& session);
void add_review(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_edit(CLI::App& app, Session& session);
void add_quiz(CLI::App& app, Session& session);
void add_drill(CLI::App& app, Session& session);
void add_progress(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_import(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_config(CLI::App& app, Session& session);
void add_init(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);
void add_man(CLI::App& app, Session& session);
void add_test(CLI::App& app, Session& session);
void add_new(CLI::App& app, Session& session);
void add_entry_points(CLI::App& app, Session& session);   ///< for the build; hidden
void add_serve_jobs(CLI::App& app, Session& session);     ///< for --on; hidden
void add_keep_profiles(CLI::App& app, Session& session);  ///< for developers; hidden
void add_keep_assembly(CLI::App& app, Session& session);  ///< for developers; hidden

/// `kata` alone: what to do next.
int next_step(const Session& session);

}  // namespace kata::cli

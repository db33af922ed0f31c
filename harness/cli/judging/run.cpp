// kata run: any CUDA program with its own main, on the emulator.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>

#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/program.h"
#include "report/json.h"
#include "report/text/program_text.h"
#include "support/paths.h"
#include "support/process.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

struct RunOptions {
  std::vector<std::string> files;
  std::vector<std::string> include_folders;
  std::vector<std::string> definitions;
  std::vector<std::string> compiler_flags;  ///< -f...: without the f
  std::vector<std::string> passed_on;       ///< -X...: without the X
  std::vector<std::string> standards;       ///< -std=...: without the s
  std::optional<std::uint64_t> within_s;
  bool fast = false;
  bool lines = false;
  bool json = false;
};

bool names_source(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  for (const char* known : {".cu", ".cpp", ".cc", ".cxx", ".c"}) {
    if (ending == known) return true;
  }
  return false;
}

/// A word that is no source file was meant for the program.
std::optional<Error> check_files(const RunOptions& options) {
  if (options.files.empty()) {
    return Error{fmt::format("run needs a .cu file with a main: {} run FILE.cu [-- ARGUMENTS]",
                             command_name())};
  }
  if (options.fast && options.lines)
    return Error{"--lines shows what --fast leaves out: leave one of them away"};
  std::error_code ignored;
  for (const std::string& file : options.files) {
    if (names_source(file) || fs::is_directory(file, ignored)) continue;
    return Error{
        fmt::format("{} is no source file of CUDA, C++ or C (.cu, .cpp, .cc, .cxx, .c); the "
                    "program's own arguments follow --",
                    file)};
  }
  return std::nullopt;
}

/// Those of nvcc's -std. The emulator's own headers need C++17.
const std::map<std::string, std::string> standards{
    {"td=c++11", "c++17"}, {"td=c++14", "c++17"}, {"td=c++17", "c++17"}, {"td=c++20", "c++20"}};

/// `-fopenmp`, nvcc's `-Xcompiler -fopenmp` and `-Xcompiler=-fopenmp`, and `-std=c++20`.
std::optional<Error> check_flags(const RunOptions& options) {
  for (const std::string& flag : options.compiler_flags) {
    if (flag != "openmp")
      return Error{
          fmt::format("run takes no -f{}: of the compiler's flags it takes -fopenmp", flag)};
  }
  for (const std::string& flag : options.passed_on) {
    if (flag != "compiler" && flag != "compiler=-fopenmp")
      return Error{fmt::format("run takes no -X{}: it takes -Xcompiler -fopenmp", flag)};
  }
  for (const std::string& standard : options.standards) {
    if (!standards.contains(standard))
      return Error{
          fmt::format("run takes no -s{}: it takes -std=c++11, c++14, c++17 and c++20", standard)};
  }
  return std::nullopt;
}

/// Of processor time: half a minute where two cores are free.
constexpr std::uint64_t checked_s = 60;

bool wants_openmp(const RunOptions& options) {
  const auto& passed = options.passed_on;
  return !options.compiler_flags.empty() ||
         std::find(passed.begin(), passed.end(), "compiler=-fopenmp") != passed.end();
}

ProgramRequest request_for(const RunOptions& options, const Session& session) {
  return {.sources = {options.files.begin(), options.files.end()},
          .include_folders = {options.include_folders.begin(), options.include_folders.end()},
          .definitions = options.definitions,
          .openmp = wants_openmp(options),
          .standard = options.standards.empty() ? "" : standards.at(options.standards.back()),
          .arguments = session.program_arguments,
          .checked = !options.fast,
          .checked_s = static_cast<double>(options.within_s.value_or(checked_s)),
          .output_on_errors = options.json};
}

/// The program's own, unless it returned 0 in spite of errors; a shell's for a signal.
int status_of(const Report& report) {
  if (report.verdict == Verdict::error || !report.program) return exit_error;
  if (report.program->signal != 0) return 128 + report.program->signal;
  if (report.program->exit_status != 0) return report.program->exit_status;
  return exit_status(report.verdict);
}

int fail_early(const Error& error, const RunOptions& options) {
  if (!options.json) return fail(error);
  Report report;
  report.candidate = options.files.empty() ? "" : options.files.front();
  report.error = error.message;
  report.detail = error.detail;
  fmt::print("{}", to_json_text(report));
  return exit_error;
}

/// "kata run x.cu -- 7": as it was typed, with `more` behind "run".
std::string same_run(const std::vector<std::string>& typed, const std::string& more = {}) {
  std::string command = command_name();
  for (const std::string& word : typed)
    command += " " + shell_word(word) + (word == "run" ? more : "");
  return command;
}

/// The same to the program's end with checks.
std::string whole_run(std::vector<std::string> typed) {
  const auto limit = std::ranges::find(typed, "--within");
  if (limit != typed.end()) typed.erase(limit, limit + 2);
  return same_run(typed, " --within 0");
}

/// Nothing after Ctrl-C, and where the program needs what the emulator does not have.
std::string next_step(const Report& report, const RunOptions& options, const Session& session) {
  if (report.verdict == Verdict::error || report.program->signal == SIGINT ||
      report.program->signal == SIGTERM)
    return {};
  if (report.verdict == Verdict::fail) {
    const Finding* const cause = first_error(report.findings);
    const std::string place = cause && cause->line > 0
                                  ? fmt::format("{}:{}", shown(cause->file), cause->line)
                                  : report.candidate;
    return fmt::format("Next: fix {}, then\n  {}\n", place, same_run(session.typed));
  }
  if (report.program->checked_s > 0)
    return fmt::format("Next: check all of it, however long that takes\n  {}\n",
                       whole_run(session.typed));
  if (options.fast || options.lines || report.kernels.empty())
    return fmt::format("Next: after a change\n  {}\n", same_run(session.typed));
  return fmt::format("Next: see the memory traffic of each line\n  {}\n",
                     same_run(session.typed, " --lines"));
}

int run_files(const RunOptions& options, const Session& session) {
  if (const auto error = check_flags(options)) return fail_early(*error, options);
  if (const auto error = check_files(options)) return fail_early(*error, options);
  ProgramRequest request = request_for(options, session);
  Report report;
  {
    std::optional<Progress> progress(std::in_place, session.plain || options.json);
    request.progress = [&](const std::string& what) { progress->say(what); };
    request.begins = [&] { progress.reset(); };
    request.begins_again = [&] {
      fmt::print(stderr,
                 "kata: no error in {:g} s of processor time, so the program runs again from its\n"
                 "      beginning, now without checks, to its end:\n",
                 request.checked_s);
    };
    report = run_program(request);
  }
  if (interrupted()) return exit_error;
  if (options.json) {
    fmt::print("{}", to_json_text(report));
  } else if (!report.program) {
    return fail({report.error, report.detail});
  } else {
    fmt::print(stderr, "{}",
               program_text(report, {.color = color_wanted_on_errors(session.plain),
                                     .lines = options.lines,
                                     .rows = screen_rows_on_errors(session.plain)}));
    fmt::print(stderr, "{}", next_step(report, options, session));
    if (!report.error.empty()) fail({report.error});
  }
  return status_of(report);
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  static RunOptions options;
  Command(app, "run", "Run any CUDA program on the CPU, with findings")
      .operands("files", options.files, "Its .cu, .cpp and .c files; put arguments after --")
      .list("-I", "FOLDER", options.include_folders, "Also search this folder for headers")
      .list("-D", "NAME", options.definitions, "Define a macro: NAME or NAME=VALUE")
      .list("-f", "openmp", options.compiler_flags, "-fopenmp: the host code uses OpenMP")
      .list("-s", "td=c++20", options.standards, "-std=c++20: C++20 in place of C++17")
      .list("-X", "compiler", options.passed_on, "As nvcc has it: -Xcompiler -fopenmp")
      .number("--within", options.within_s, "Check for N seconds (60; 0: all), then run on")
      .flag("--fast", options.fast, "Several times faster: no checks of memory accesses")
      .flag("--lines", options.lines, "Show the memory traffic of each source line")
      .flag("--json", options.json, "One JSON object; the program prints to stderr")
      .does([&session] { session.status = run_files(options, session); });
}

}  // namespace kata::cli

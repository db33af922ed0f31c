// kata test: the tests of this project, or of one operator. The launcher runs the former: it has to
// build them, and rebuilds this program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "contribute/operator_test.h"
#include "contribute/planted.h"
#include "faults/fault.h"
#include "report/layout.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

using State = OperatorCheck::State;

struct TestOptions {
  std::string operator_name;
  bool all = false;
  std::string faults_folder;
};

int start_launcher(const TestOptions& options, const Session& session) {
  if (is_installed()) return fail({"kata test needs a clone of kata: this one is a package"});
  const std::string launcher = (root() / "harness" / "kata").string();
  std::vector<const char*> words{launcher.c_str(), "test"};
  if (options.all) words.push_back("--all");
  if (session.yes) words.push_back("--yes");
  words.push_back(nullptr);
  setenv("KATA_BUILD", program_folder().c_str(), 1);
  execv(launcher.c_str(), const_cast<char**>(words.data()));
  return fail({fmt::format("cannot start {}: {}", launcher, std::strerror(errno))});
}

void print_check(const OperatorCheck& check, bool color) {
  struct Mark {
    const char* text;
    layout::Color color;
  };
  const auto mark = [&]() -> Mark {
    switch (check.state) {
      case State::right:
        return {"ok", layout::Color::green};
      case State::wrong:
        return {"FAIL", layout::Color::red};
      case State::missing:
        return {"missing", layout::Color::yellow};
      case State::not_measured:
        break;
    }
    return {"-", layout::Color::plain};
  }();
  constexpr std::size_t margin = 25;
  const std::string summary =
      check.state == State::wrong ? "\n" : layout::paragraph(check.summary, margin).substr(margin);
  fmt::print("  {:<14}{}{:{}}{}", check.name, layout::paint(mark.text, mark.color, color), "",
             9 - std::strlen(mark.text), summary);
  for (const std::string& detail : check.details) fmt::print("{}", layout::paragraph(detail, 4));
}

int test_one(const Problem& problem, const Session& session) {
  std::vector<OperatorCheck> checks;
  {
    Progress progress(session.plain);
    checks = test_operator(problem, TestScope::all,
                           [&](const std::string& what) { progress.say("testing " + what); });
  }
  if (interrupted()) return exit_error;
  const bool color = color_wanted(session.plain);
  fmt::print("{}\n\n", declaration(problem));
  for (const OperatorCheck& check : checks) print_check(check, color);
  const bool passed = passes(checks);
  fmt::print("\n{}  {}\n",
             passed ? layout::paint("PASS", layout::Color::green, color)
                    : layout::paint("FAIL", layout::Color::red, color),
             problem.name);
  return passed ? 0 : 1;
}

/// The faults of one operator, or of all, as files.
int plant_faults(const TestOptions& options) {
  std::size_t written = 0;
  for (const Problem& problem : problems()) {
    if (!options.operator_name.empty() && problem.name != options.operator_name) continue;
    const Result<std::vector<faults::Fault>> all = faults::read_faults(problem.name);
    if (!all) return fail(all.error());
    const auto files = contribute::write_faults(*all, options.faults_folder);
    if (!files) return fail(files.error());
    written += files->size();
  }
  fmt::print("{} faulty kernels written to {}\n", written, options.faults_folder);
  return 0;
}

int test(const TestOptions& options, const Session& session) {
  if (!options.faults_folder.empty() && !options.operator_name.empty()) {
    const Result<const Problem*> problem = find_operator(options.operator_name);
    return problem ? plant_faults({(*problem)->name, false, options.faults_folder})
                   : fail(problem.error());
  }
  if (!options.faults_folder.empty()) return plant_faults(options);
  if (options.operator_name.empty()) return start_launcher(options, session);
  const Result<const Problem*> problem = find_operator(options.operator_name);
  return problem ? test_one(**problem, session) : fail(problem.error());
}

}  // namespace

void add_test(CLI::App& app, Session& session) {
  static TestOptions options;
  Command(app, "test", "Run this project's tests, or one operator's")
      .optional_operand("operator", options.operator_name,
                        "Run all tests of this operator, and no others")
      .flag("--all", options.all, "Run the slow tests, too")
      .option("--plant", "DIR", options.faults_folder,
              "Write the faulty kernels here, and test nothing")
      .does([&session] { session.status = test(options, session); });
}

}  // namespace kata::cli

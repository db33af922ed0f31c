// What shells complete, asked in the shells themselves, and the manual page.
#include <doctest/doctest.h>

#include <sstream>

#include "desk.h"
#include "skip.h"

using kata::test::contains;
using kata::test::Desk;

namespace {

/// What `shell` prints for a script, with `kata` in PATH.
std::string printed_by(const Desk& desk, const std::vector<std::string>& shell,
                       const std::string& script) {
  std::vector<std::string> arguments = shell;
  arguments.push_back("PATH=" KATA_BINARY_DIR ":$PATH\n" + script);
  if (shell.front() == "fish") arguments.back() = "set PATH " KATA_BINARY_DIR " $PATH\n" + script;
  auto environment = desk.environment();
  environment.emplace_back("HOME", desk.scratch / "home");
  const auto finished = kata::run({.arguments = arguments,
                                   .environment = environment,
                                   .folder = desk.scratch / "tree",
                                   .time_limit_s = 60});
  REQUIRE(finished);
  CHECK(finished->errors == "");
  return finished->output;
}

/// As bash calls it at a Tab: the words of the line, split where bash splits them.
std::string bash(const Desk& desk, const std::string& words) {
  return printed_by(desk, {"bash", "--norc", "-c"},
                    "eval \"$(kata completion bash)\"\n"
                    "COMP_WORDS=(kata " +
                        words +
                        ") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                        "$(complete -p kata | sed 's/.*-F \\([^ ]*\\).*/\\1/') kata\n"
                        "printf '%s\\n' \"${COMPREPLY[@]}\"");
}

std::string fish(const Desk& desk, const std::string& line) {
  return printed_by(desk, {"fish", "--no-config", "-c"},
                    "kata completion fish | source\ncomplete -C 'kata " + line + "'");
}

/// zsh's own _describe needs a line that is being edited: this one prints what it is given.
std::string zsh(const Desk& desk, const std::string& words) {
  return printed_by(desk, {"zsh", "-f", "-c"},
                    "autoload -U compinit; compinit -D -u\n"
                    "eval \"$(kata completion zsh)\"\n"
                    "_describe() { print -l -- ${(P)${@[-1]}} }\n"
                    "_files() { print files }\n"
                    "words=(kata " +
                        words + ") CURRENT=$#words\n$_comps[kata]");
}

}  // namespace

TEST_CASE("bash completes commands, operators, rungs, options and their values") {
  const Desk desk;
  CHECK(bash(desk, "chec") == "check\n");
  CHECK(contains(bash(desk, "check softm"), "softmax\n"));
  CHECK(contains(bash(desk, "check softm"), "softmax_rows\n"));
  CHECK(contains(bash(desk, "show relu ''"), "3\n"));
  CHECK(bash(desk, "check relu --backe") == "--backend\n");
  CHECK(bash(desk, "check --backend = emu") == "emulator\n");
  CHECK(bash(desk, "check --backend gp") == "gpu\n");
  CHECK(bash(desk, "check --size 4 softmax_ro") == "softmax_rows\n");
  CHECK(bash(desk, "--plain completion z") == "zsh\n");
  CHECK(bash(desk, "config edi") == "editor\n");
  CHECK(bash(desk, "check exercises/") == "\n");  // nothing: bash offers files
  CHECK_FALSE(contains(bash(desk, "''"), "entry-points"));
}

TEST_CASE("fish completes with what each word means") {
  if (kata::find_program("fish").empty()) return kata::test::skip("fish is not installed");
  const Desk desk;
  CHECK(contains(fish(desk, "chec"), "check\tCheck your kernel"));
  CHECK(contains(fish(desk, "check softm"), "softmax_rows\tsoftmax of"));
  CHECK(contains(fish(desk, "check --backend=e"), "--backend=emulator"));
  CHECK(contains(fish(desk, "check exer"), "exercises/"));
}

TEST_CASE("zsh completes with what each word means") {
  if (kata::find_program("zsh").empty()) return kata::test::skip("zsh is not installed");
  const Desk desk;
  CHECK(contains(zsh(desk, "chec"), "check:Check your kernel"));
  CHECK(contains(zsh(desk, "check softmax_"), "softmax_rows:softmax of"));
  CHECK(contains(zsh(desk, "check --backend=e"), "--backend=emulator:"));
  CHECK(zsh(desk, "check exer") == "files\n");
}

TEST_CASE("a wrong config file does not disturb completion") {
  const Desk desk;
  desk.scratch.write("home/config.toml", "chip = ");
  CHECK(contains(desk.start({"complete", "chec"}).output, "check\t"));
}

TEST_CASE("the manual page has every command and every option, and no error") {
  const Desk desk;
  const std::string page = desk.start({"man"}).output;
  std::istringstream commands(desk.start({"complete", ""}).output);
  for (std::string line; std::getline(commands, line);) {
    const std::string command = line.substr(0, line.find('\t'));
    CAPTURE(command);
    CHECK(contains(page, "\n.SS kata " + command));
    std::istringstream options(desk.start({"complete", command, "--"}).output);
    for (std::string option; std::getline(options, option);) {
      std::string name = option.substr(2, option.find('\t') - 2);
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
        name.insert(at, 1, '\\');
      CHECK(contains(page, "\\-\\-" + name));
    }
  }
  if (kata::find_program("mandoc").empty()) return kata::test::skip("mandoc is not installed");
  const auto lint =
      kata::run({.arguments = {"mandoc", "-T", "lint", "-W", "error"}, .input = page});
  REQUIRE(lint);
  CHECK(lint->output == "");
  CHECK(lint->exit_status == 0);
}

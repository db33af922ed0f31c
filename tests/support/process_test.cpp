#include "support/process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

using kata::catch_interrupts;
using kata::interrupted;
using kata::ProcessOptions;
using kata::run;

TEST_CASE("a program's output, errors and exit status come back apart") {
  const auto result = run({.arguments = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  REQUIRE(result);
  CHECK(result->output == "out\n");
  CHECK(result->errors == "err\n");
  CHECK(result->exit_status == 3);
  CHECK(result->signal == 0);
}

TEST_CASE("input reaches the program and ends") {
  const std::string text(300'000, 'x');
  const auto result = run({.arguments = {"wc", "-c"}, .input = text});
  REQUIRE(result);
  CHECK(std::stoi(result->output) == 300'000);
}

TEST_CASE("answers on descriptor 3 arrive line by line and cannot be forged on standard output") {
  std::vector<std::string> answers;
  const auto result = run({.arguments = {"sh", "-c", "echo fake; echo one >&3; echo two >&3"},
                           .on_answer = [&](const std::string& line) { answers.push_back(line); }});
  REQUIRE(result);
  CHECK(answers == std::vector<std::string>{"one", "two"});
  CHECK(result->output == "fake\n");
}

TEST_CASE("a crash is not an exit status") {
  const auto result = run({.arguments = {"sh", "-c", "kill -SEGV $$"}});
  REQUIRE(result);
  CHECK(result->signal == SIGSEGV);
}

TEST_CASE("a program that never ends is ended, and so is all that it started") {
  const auto start = std::chrono::steady_clock::now();
  const auto result =
      run({.arguments = {"sh", "-c", "sleep 1000 & echo $!; wait"}, .time_limit_s = 0.2});
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(900));
  const std::filesystem::path grandchild = "/proc/" + std::to_string(std::stoi(result->output));
  CHECK_FALSE(std::filesystem::exists(grandchild));
}

TEST_CASE("a program that answers no more is ended, long before its time is over") {
  int answers = 0;
  const auto result = run({.arguments = {"sh", "-c", "echo one >&3; echo two >&3; sleep 1000"},
                           .time_limit_s = 1000,
                           .silence_limit_s = [] { return 0.2; },
                           .on_answer = [&](const std::string&) { ++answers; }});
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(answers == 2);
}

TEST_CASE("a program that only sleeps, again and again, is silent as well") {
  const std::string naps =
      "while true; do i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done; sleep 0.01; done";
  const auto result =
      run({.arguments = {"sh", "-c", naps}, .time_limit_s = 1000, .silence_limit_s = [] {
             return 0.3;
           }});
  REQUIRE(result);
  CHECK(result->timed_out);
}

TEST_CASE("a background process that keeps the pipes open does not hold up the caller") {
  const auto start = std::chrono::steady_clock::now();
  const auto result = run({.arguments = {"sh", "-c", "sleep 1000 & echo done"}});
  REQUIRE(result);
  CHECK(result->output == "done\n");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(900));
}

TEST_CASE("endless output is cut at the limit and does not fill memory") {
  const auto result =
      run({.arguments = {"sh", "-c", "yes | head -c 5000000"}, .output_limit = 1000});
  REQUIRE(result);
  CHECK(result->output.size() == 1000);
}

TEST_CASE("a missing program is an error that names it") {
  const auto result = run({.arguments = {"no-such-program-at-all"}});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "cannot find the program no-such-program-at-all");
}

TEST_CASE("the environment is ours with the additions") {
  const auto result = run(
      {.arguments = {"sh", "-c", "echo $KATA_TEST:$PATH"}, .environment = {{"KATA_TEST", "7"}}});
  REQUIRE(result);
  CHECK(result->output.starts_with("7:/"));
}

TEST_CASE(
    "a command that computes and looks at nothing ends at an interrupt, with a shell's status for "
    "it") {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      close(STDERR_FILENO);
      catch_interrupts();
      itimerval limit{{0, 0}, {20, 0}};
      setitimer(ITIMER_VIRTUAL, &limit, nullptr);  // ends it if nothing else does
      if (write(ready[1], "", 1) != 1) _exit(1);
      for (volatile bool forever = true; forever;) {
      }
      _exit(0);
    }
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    kill(child, signal_number);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 128 + signal_number);
    close(ready[0]);
    close(ready[1]);
  }
}

TEST_CASE("a command that asks whether it was interrupted ends as it likes") {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    catch_interrupts();
    if (write(ready[1], "", 1) != 1) _exit(1);
    while (!interrupted()) {
    }
    _exit(7);
  }
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  kill(child, SIGTERM);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
  close(ready[0]);
  close(ready[1]);
}

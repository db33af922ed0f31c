// --on NAME without a network: ssh is a script that starts the other kata on this machine.
#include <doctest/doctest.h>

#include "machine.h"

using kata::Finished;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;

namespace {

constexpr const char* check_there[] = {"check", "relu", "--backend", "emulator", "--on", "lab"};

std::vector<std::string> check_on_lab() {
  return {std::begin(check_there), std::end(check_there)};
}

/// Exit status 2, nothing printed, and one line that holds the parts.
void check_one_line(const Finished& finished, const std::vector<std::string>& parts) {
  INFO(finished.errors);
  CHECK(finished.exit_status == 2);
  CHECK(finished.output == "");
  CHECK(count_lines(finished.errors) == 1);
  for (const std::string& part : parts) CHECK(contains(finished.errors, part));
}

}  // namespace

TEST_CASE("a check on another machine prints what a check here prints, with the file's headers") {
  const Desk desk;
  kata::test::write_wrong_relu(desk);
  kata::test::add_machine(desk, "lab",
                          {"--host", "lab", "--folder", kata::test::make_machine(desk), "--ssh",
                           kata::test::make_ssh(desk)});
  kata::test::check_same_report(desk, "lab");
  SUBCASE("a right kernel too, with the ladder, and both are in the history") {
    desk.solve("relu");
    const auto kept = [&] { return count_lines(desk.start({"export"}).output); };
    const auto before = kept();
    kata::test::check_same_report(desk, "lab");
    CHECK(kept() == before + 2);
  }
  SUBCASE("a file that does not compile too") {
    desk.write("relu", "#include <kata/kata.h>\nint x = y;\n");
    kata::test::check_same_report(desk, "lab");
  }
}

TEST_CASE("a package on the other machine judges too, where --folder is its prefix") {
  const Desk desk;
  desk.solve("relu");
  const std::string there = kata::test::make_machine(desk);
  std::filesystem::rename(there + "/harness", there + "/bin");
  kata::test::add_machine(
      desk, "lab", {"--host", "lab", "--folder", there, "--ssh", kata::test::make_ssh(desk)});
  CHECK(desk.start(check_on_lab()).exit_status == 0);
}

TEST_CASE("a file that is not begun goes nowhere") {
  const Desk desk;
  kata::test::add_machine(desk, "lab", {"--host", "lab", "--ssh", "false"});
  CHECK(desk.start({"check", "relu", "--on", "lab"}).exit_status == 77);
}

TEST_CASE("what a login script prints does not disturb the answer") {
  const Desk desk;
  desk.solve("relu");
  kata::test::add_machine(
      desk, "lab",
      {"--host", "lab", "--folder", kata::test::make_machine(desk), "--ssh",
       kata::test::make_ssh(desk, "echo Welcome; echo '[1]'; exec sh -c \"$last\"")});
  CHECK(desk.start(check_on_lab()).exit_status == 0);
}

TEST_CASE("without a GPU there, check, bench and profile say so in one line") {
  const Desk desk;
  desk.solve("relu");
  desk.scratch.write_program("there/harness/kata",
                             "#!/bin/sh\necho '" + desk.start({"serve-jobs"}).output.substr(0, 60) +
                                 "'\nread job\n"
                                 "echo '{\"error\": {\"message\": \"no GPU to use: none\"}}'\n");
  kata::test::add_machine(desk, "lab",
                          {"--host", "lab", "--folder", (desk.scratch / "there").string(), "--ssh",
                           kata::test::make_ssh(desk)});
  for (const char* command : {"check", "bench", "profile"})
    check_one_line(desk.start({command, "relu", "--on", "lab"}), {"lab: no GPU to use: none"});
}

TEST_CASE("bench and profile print the times and counters of the other machine") {
  const Desk desk;
  desk.solve("relu");
  kata::test::add_machine(desk, "lab",
                          {"--host", "lab", "--folder", kata::test::make_gpu_machine(desk), "--ssh",
                           kata::test::make_ssh(desk)});
  kata::test::check_bench_and_profile(desk, "lab");
  SUBCASE("what goes wrong there is one line with the machine's name") {
    std::filesystem::remove(desk.scratch / "there/build/kata-worker-gpu");
    for (const char* command : {"bench", "profile"})
      check_one_line(desk.start({command, "relu", "--on", "lab"}), {"lab: no GPU to use: "});
  }
}

TEST_CASE("each way to fail is one line that says what to do") {
  const Desk desk;
  desk.solve("relu");
  const std::string there = kata::test::make_machine(desk);
  const auto with_ssh = [&](const std::string& script) {
    kata::test::add_machine(
        desk, "lab",
        {"--host", "me@lab", "--folder", there, "--ssh", kata::test::make_ssh(desk, script)});
    return desk.start(check_on_lab());
  };
  check_one_line(
      with_ssh("echo 'ssh: connect to host lab port 22: No route to host' >&2; exit 255"),
      {"cannot reach lab", "No route to host", "Try: "});
  check_one_line(with_ssh("echo 'me@lab: Permission denied (publickey).' >&2; exit 255"),
                 {"ssh-copy-id me@lab"});
  check_one_line(with_ssh("echo 'Host key verification failed.' >&2; exit 255"), {"Log in once"});
  check_one_line(with_ssh("echo 'srun: error: Invalid partition' >&2; exit 1"),
                 {"Slurm did not run the job", "Invalid partition"});
  check_one_line(with_ssh("echo '{\"kata\": \"0.0\", \"harness\": \"1234\"}'"),
                 {"a different version of kata: 0.0 (harness 1234) there", "remote setup lab"});
  const std::string greeting = kata::test::without(desk.start({"serve-jobs"}).output, "\n");
  check_one_line(with_ssh("echo '" + greeting + "'; read job; kill -9 $$"),
                 {"the connection to lab broke", "Nothing is lost here"});
  check_one_line(with_ssh("echo '" + greeting + "'; read job"), {"the connection to lab broke"});
  std::filesystem::remove(desk.scratch / "there/harness/kata");
  check_one_line(with_ssh("exec sh -c \"$last\""), {"no kata on lab", "remote setup lab"});
  kata::test::add_machine(desk, "lab", {"--host", "me@lab", "--ssh", "no-such-ssh -v"});
  check_one_line(desk.start(check_on_lab()), {"there is no no-such-ssh here"});
}

TEST_CASE("machines are added, listed and removed in the config file, which keeps the rest") {
  const Desk desk;
  const auto file = desk.scratch.write("home/config.toml", "# mine\nchip = \"a100\"\n");
  CHECK(contains(desk.start({"remote"}).output, "no machines yet"));
  check_one_line(desk.start(check_on_lab()), {"no machine is known as lab", "remote add lab"});
  kata::test::add_machine(desk, "lab", {"--host", "me@lab"});
  kata::test::add_machine(desk, "cluster", {"--srun", "--gpus=1 -p fast", "--host", "login"});
  const std::string list = desk.start({"remote", "list"}).output;
  CHECK(contains(list, "me@lab, kata in \"$HOME\"/kata-remote"));
  CHECK(contains(list, "Slurm through login"));
  CHECK(contains(list, "--gpus=1 -p fast"));
  CHECK(contains(content_of(file), "# mine\nchip = \"a100\"\n"));
  kata::test::add_machine(desk, "cluster", {"--srun", "--gpus=2"});
  CHECK(contains(desk.start({"remote", "list"}).output, "Slurm on this machine"));
  CHECK(desk.start({"remote", "remove", "cluster"}).exit_status == 0);
  CHECK_FALSE(contains(desk.start({"remote", "list"}).output, "cluster"));
  check_one_line(desk.start({"remote", "remove", "cluster"}), {"Known: lab"});
  check_one_line(desk.start({"remote", "add", "a b", "--host", "x"}), {"cannot be a name"});
  check_one_line(desk.start({"remote", "add", "gpu"}), {"--host USER@HOST"});
  check_one_line(desk.start({"remote", "setup"}), {"needs a name"});
  check_one_line(desk.start({"remote", "fly"}), {"--help"});
}

TEST_CASE("setup leaves a folder alone that it did not make, and says what GPU there is") {
  const Desk desk;
  const std::string there = kata::test::make_machine(desk);
  desk.scratch.write_program("bin/rsync", "#!/bin/sh\n");
  kata::test::add_machine(
      desk, "lab", {"--host", "lab", "--folder", there, "--ssh", kata::test::make_ssh(desk)});
  const Desk::Environment path{
      {"PATH", (desk.scratch / "bin").string() + ":" + std::getenv("PATH")}};
  check_one_line(desk.start({"remote", "setup", "lab"}, "", path), {"did not make it"});
  desk.scratch.write("there/.kata-remote", "");
  CHECK(contains(desk.start({"remote", "setup", "lab"}, "", path).output, "lab is ready: "));
}

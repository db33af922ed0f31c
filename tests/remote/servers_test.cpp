// --on NAME with a real sshd and a real Slurm; the emulator takes the place of the GPU.
#include <doctest/doctest.h>

#include "machine.h"
#include "practice_sessions/terminal.h"
#include "servers.h"
#include "skip.h"

using kata::test::are_installed;
using kata::test::comes_true;
using kata::test::contains;
using kata::test::Desk;
using kata::test::SlurmCluster;
using kata::test::SshServer;
using kata::test::Terminal;

namespace {

bool no_ssh() {
  const bool missing = !are_installed({"sshd", "ssh", "ssh-keygen"});
  if (missing) kata::test::skip("openssh-server is not installed");
  return missing;
}

bool no_slurm() {
  const bool missing = !are_installed({"slurmctld", "slurmd", "srun", "munged"});
  if (missing) kata::test::skip("Slurm or munge is not installed");
  return missing;
}

/// Whether a process of the other machine's kata runs: its environment names the machine's folder.
bool runs_there(const Desk& desk) {
  const std::string home = "KATA_HOME=" + (desk.scratch / "there").string() + "/";
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    if (contains(kata::test::content_of(entry.path() / "environ"), home)) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE("through a real sshd: the same report, and nothing runs on after the connection ends") {
    if (no_ssh()) return;
    const Desk desk;
    const SshServer server(desk.scratch);
    REQUIRE(server.answers());
    kata::test::add_machine(
        desk, "lab",
        {"--host", "lab", "--ssh", server.command(), "--folder", kata::test::make_machine(desk)});
    kata::test::write_wrong_relu(desk);
    kata::test::check_same_report(desk, "lab");

    desk.write("relu", kata::test::endless_relu);
    Terminal person(desk, {"check", "relu", "--on", "lab", "--backend", "emulator"});
    CHECK(person.shows("judging"));
    CHECK(runs_there(desk));
    SUBCASE("when the connection breaks") {
      server.drop_connections();
      CHECK(person.shows("the connection to lab broke"));
      CHECK(person.status() == 2);
    }
    SUBCASE("when kata is killed here") {
      person.kill(SIGKILL);
      person.status();
    }
    CHECK(comes_true([&] { return !runs_there(desk); }));
  }

  TEST_CASE("bench and profile through a real sshd: nothing runs on after the connection ends") {
    if (no_ssh()) return;
    const Desk desk;
    desk.solve("relu");
    const SshServer server(desk.scratch);
    REQUIRE(server.answers());
    kata::test::add_machine(desk, "lab",
                            {"--host", "lab", "--ssh", server.command(), "--folder",
                             kata::test::make_gpu_machine(desk)});
    kata::test::check_bench_and_profile(desk, "lab");

    desk.scratch.write("there/build/hang", "");
    bool interrupted = false;
    SUBCASE("when the network fails") {}
    SUBCASE("when it is interrupted") {
      interrupted = true;
    }
    for (const auto& [command, stage] : {std::pair{"bench", "timing"}, {"profile", "with ncu"}}) {
      Terminal person(desk, {command, "relu", "--size", "1000", "--on", "lab"});
      CHECK(person.shows(stage));
      CHECK(runs_there(desk));
      if (interrupted) {
        person.kill(SIGINT);
      } else {
        server.drop_connections();
        CHECK(person.shows("the connection to lab broke"));
      }
      CHECK(person.status() == (interrupted ? 130 : 2));
      CHECK(comes_true([&] { return !runs_there(desk); }));
    }
  }

  TEST_CASE("through a real Slurm: the same report, a line about the queue, no job left") {
    if (no_slurm()) return;
    const Desk desk;
    const SlurmCluster cluster(desk.scratch);
    REQUIRE(cluster.answers());
    kata::test::add_machine(
        desk, "cluster",
        {"--srun", "--cpus-per-task=2", "--folder", kata::test::make_machine(desk)});
    kata::test::write_wrong_relu(desk);
    kata::test::check_same_report(desk, "cluster");

    const std::vector<std::string> check{"check",   "relu",      "--on",
                                         "cluster", "--backend", "emulator"};
    SUBCASE("interrupted while it runs") {
      desk.write("relu", kata::test::endless_relu);
      Terminal person(desk, check);
      CHECK(person.shows("judging"));
      CHECK_FALSE(SlurmCluster::is_idle());
      person.kill(SIGINT);
      CHECK(person.status() == 130);
    }
    SUBCASE("killed while it waits in the queue") {
      SlurmCluster::occupy();
      Terminal person(desk, check);
      CHECK(person.shows("waiting in the queue of cluster"));
      person.kill(SIGKILL);
      person.status();
      CHECK(comes_true(
          [] { return !contains(kata::test::output_of_shell("squeue -h -o %j"), "kata-"); }));
      kata::test::output_of_shell("scancel --me");
    }
    CHECK(comes_true(SlurmCluster::is_idle));
    CHECK(comes_true([&] { return !runs_there(desk); }));
  }
}

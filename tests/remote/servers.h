#pragma once
// A real sshd and a real Slurm cluster of one node, on the loopback network, with their own keys,
// ports and folders. They end with the object.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "scratch.h"
#include "support/process.h"

namespace kata::test {

/// True as soon as `condition` is; false if it is not within a minute.
inline bool comes_true(const std::function<bool()>& condition) {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(50ms);  // between two looks
  }
  return true;
}

inline std::string output_of_shell(const std::string& script) {
  const auto finished = run({.arguments = {"sh", "-c", script}, .time_limit_s = 30});
  return finished ? finished->output : "";
}

inline std::string free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return std::to_string(ntohs(address.sin_port));
}

/// A program in the foreground, ended by SIGTERM.
class Server {
 public:
  Server(std::vector<std::string> arguments, const std::filesystem::path& log) {
    arguments[0] = "/usr/sbin/" + arguments[0];
    std::vector<char*> pointers;
    for (std::string& one : arguments) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  ~Server() {
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  pid_t child_;
};

inline bool are_installed(const std::vector<std::string>& programs) {
  for (const std::string& one : programs) {
    if (find_program("/usr/sbin/" + one).empty() && find_program(one).empty()) return false;
  }
  return true;
}

/// Needs openssh-server and openssh-client.
class SshServer {
 public:
  explicit SshServer(const Scratch& scratch)
      : folder_(scratch / "ssh"),
        prepared_(prepare()),
        server_({"sshd", "-D", "-e", "-f", folder_ / "sshd_config"}, folder_ / "log") {}

  std::string command() const { return "ssh -F " + (folder_ / "config").string(); }
  bool answers() const {
    return comes_true([&] { return output_of_shell(command() + " lab echo up") == "up\n"; });
  }
  /// Ends the connections as a failing network would.
  void drop_connections() const {
    output_of_shell("kill -9 $(ps -o pid= --ppid $(cat '" + (folder_ / "pid").string() + "'))");
  }

 private:
  bool prepare() const {
    const std::string folder = folder_.string(), port = free_port();
    std::filesystem::create_directories(folder_);
    output_of_shell("cd '" + folder + "' && ssh-keygen -q -t ed25519 -N '' -f host && " +
                    "ssh-keygen -q -t ed25519 -N '' -f user && mkdir -p /run/sshd");
    std::ofstream(folder_ / "sshd_config")
        << "Port " << port << "\nListenAddress 127.0.0.1\nHostKey " << folder << "/host\nPidFile "
        << folder << "/pid\nAuthorizedKeysFile " << folder
        << "/user.pub\nPasswordAuthentication no\nUsePAM no\nStrictModes no\n";
    std::ofstream(folder_ / "config")
        << "Host lab\n  HostName 127.0.0.1\n  Port " << port << "\n  IdentityFile " << folder
        << "/user\n  IdentitiesOnly yes\n  UserKnownHostsFile " << folder
        << "/known\n  StrictHostKeyChecking accept-new\n  LogLevel ERROR\n";
    return true;
  }

  std::filesystem::path folder_;
  bool prepared_;
  Server server_;
};

/// Needs slurmctld, slurmd, slurm-client and munge. SLURM_CONF names it while it runs.
class SlurmCluster {
 public:
  explicit SlurmCluster(const Scratch& scratch)
      : folder_(scratch / "slurm"),
        prepared_(prepare()),
        munged_({"munged", "--foreground", "--force", "--key-file=" + file("key"),
                 "--socket=" + file("munge"), "--pid-file=" + file("munge.pid"),
                 "--log-file=" + file("munge.log"), "--seed-file=" + file("seed")},
                folder_ / "munge.out"),
        controller_({"slurmctld", "-D", "-f", conf()}, folder_ / "slurmctld.out"),
        node_({"slurmd", "-D", "-f", conf()}, folder_ / "slurmd.out") {
    setenv("SLURM_CONF", conf().c_str(), 1);
  }
  ~SlurmCluster() {
    output_of_shell("scancel --me");
    comes_true([&] { return is_idle(); });
    unsetenv("SLURM_CONF");
  }

  std::string conf() const { return file("slurm.conf"); }
  bool answers() const {
    return comes_true([] { return output_of_shell("sinfo -h -o %T") == "idle\n"; });
  }
  static bool is_idle() { return output_of_shell("squeue -h").empty(); }
  /// Every processor, until `scancel --me`.
  static void occupy() {
    output_of_shell("sbatch -Q --exclusive -o /dev/null --wrap 'sleep 600'");
    comes_true([] { return output_of_shell("squeue -h -o %T") == "RUNNING\n"; });
  }

 private:
  std::string file(const std::string& name) const { return folder_ / name; }

  bool prepare() const {
    std::filesystem::create_directories(folder_ / "state");
    std::filesystem::create_directories(folder_ / "spool");
    output_of_shell("cd '" + folder_.string() +
                    "' && chmod 700 . && head -c 1024 /dev/urandom >key && chmod 400 key");
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const std::string user = getpwuid(geteuid())->pw_name;
    std::ofstream(conf()) << "ClusterName=kata\nSlurmctldHost=" << host
                          << "(127.0.0.1)\nSlurmUser=" << user << "\nSlurmdUser=" << user
                          << "\nAuthType=auth/munge\nAuthInfo=socket=" << file("munge")
                          << "\nCredType=cred/munge\nSlurmctldPort=" << free_port()
                          << "\nSlurmdPort=" << free_port()
                          << "\nSlurmctldPidFile=" << file("slurmctld.pid")
                          << "\nSlurmdPidFile=" << file("slurmd.pid")
                          << "\nStateSaveLocation=" << file("state")
                          << "\nSlurmdSpoolDir=" << file("spool")
                          << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
                          << "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
                          << "SchedulerParameters=sched_interval=1\nMpiDefault=none\n"
                          << "JobAcctGatherType=jobacct_gather/none\nReturnToService=2\nNodeName="
                          << host
                          << " NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\nPartitionName=main Nodes="
                          << host << " Default=YES State=UP\n";
    return true;
  }

  std::filesystem::path folder_;
  bool prepared_;
  Server munged_, controller_, node_;
};

}  // namespace kata::test

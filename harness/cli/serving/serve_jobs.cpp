// kata serve-jobs: judges for another machine, which has started this over ssh or srun. Standard
// input is that machine: a job, then a line now and then. When it ends or falls silent, so does
// this.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/backend.h"
#include "cli/commands.h"
#include "grading/gpu.h"
#include "grading/hardware.h"
#include "remote/answer.h"
#include "remote/feed.h"
#include "remote/job.h"
#include "remote/version.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace kata::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_cleaning_up_s = 20;

void put_line(const std::string& line) {
  fmt::print("{}", line);
  std::fflush(stdout);
}

/// The compilers and workers end as after Ctrl-C. If that does not help, they die with us.
void end_now() {
  kill(getpid(), SIGTERM);
  std::this_thread::sleep_for(std::chrono::seconds(most_cleaning_up_s));
  _exit(exit_error);
}

/// Appends what standard input has. False at its end, and after a long silence.
bool read_more(std::string& text) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, silence_limit_s * 1000) <= 0) return false;
  char buffer[4096];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(count));
  return true;
}

/// The first line that is not empty.
std::string read_job() {
  std::string text;
  while (text.find('\n') == std::string::npos) {
    if (!read_more(text)) return {};
    text.erase(0, text.find_first_not_of('\n'));
  }
  return text.substr(0, text.find('\n'));
}

void end_with_sender() {
  std::thread([] {
    for (std::string ignored; read_more(ignored);) ignored.clear();
    end_now();
  }).detach();
}

Answer carry_out(const RemoteJob& job) {
  GradeRequest request = job.request;
  request.progress = [](const std::string& what) {
    put_line(to_json_line(Answer{.progress = what}));
  };
  if (request.backend == Backend::gpu) {
    if (const Result<Backend> found = choose_backend("gpu"); !found)
      return {.error = Error{"no GPU to use: " + found.error().message}};
  }
  switch (job.task) {
    case RemoteTask::probe:
      return {.text = gpu() ? gpu()->name : "no GPU: " + gpu().error().message};
    case RemoteTask::check:
      return {.report = grade(request)};
    case RemoteTask::bench:
      return {.report = bench_and_judge(request)};
    case RemoteTask::profile:
      break;
  }
  const Result<HardwareProfile> measured = profile_on_gpu(request);
  if (!measured) return {.error = measured.error()};
  return {.text = hardware_text(*measured, job.color)};
}

int serve() {
  put_line(nlohmann::json(this_harness()).dump() + "\n");
  const std::string line = read_job();
  if (line.empty()) return exit_error;
  end_with_sender();
  Result<RemoteJob> job = job_from_json(line);
  if (!job) {
    put_line(to_json_line(Answer{.error = job.error()}));
    return 0;
  }
  const TemporaryFolder temporary;
  std::error_code failed;
  const fs::path folder = fs::canonical(temporary.path(), failed);
  if (const auto error = lay_out(*job, folder)) {
    put_line(to_json_line(Answer{.error = *error}));
    return 0;
  }
  const auto answer = [&](const Answer& what) {
    put_line(with_sender_paths(to_json_line(what), *job, folder));
  };
  job->request.right_so_far = [&](const Report& report) { answer({.right_so_far = report}); };
  job->request.passed = [&](const Report& report) { answer({.passed = report}); };
  answer(carry_out(*job));
  fs::current_path("/", failed);
  return 0;
}

/// Ends this process when standard input does, but leaves what is in it to the child.
void end_with_input() {
  std::thread([] {
    pollfd input{STDIN_FILENO, POLLRDHUP, 0};
    while (poll(&input, 1, -1) < 0) {
    }
    end_now();
  }).detach();
}

/// The same under srun, which may wait in a queue first.
int serve_under_srun(const std::string& options) {
  const std::string name = fmt::format("kata-{}", getpid());
  std::vector<std::string> command{"sh",   "-c",         "exec \"$@\" >&3", "sh",
                                   "srun", "--ntasks=1", "--unbuffered",    "--job-name=" + name};
  std::istringstream words(options);
  for (std::string word; words >> word;) command.push_back(word);
  command.insert(command.end(), {(program_folder() / "kata").string(), "serve-jobs"});
  if (find_program("srun").empty()) return fail({"srun: error: there is no srun here"});
  prctl(PR_SET_PDEATHSIG, 0);  // time to take the job out of the queue: our input ends as well
  end_with_input();
  const Result<Finished> finished =
      run({.arguments = command,
           .input_descriptor = STDIN_FILENO,
           .on_answer = [](const std::string& line) { put_line(line + "\n"); },
           .on_error_line = [](const std::string& line) { fmt::print(stderr, "{}\n", line); },
           .wake_on = [] { return std::vector<int>(); },
           .on_wake = [] { return false; }});
  if (!finished) return fail(finished.error());
  if (finished->interrupted) kata::run({.arguments = {"scancel", "--name=" + name}});
  return finished->signal == 0 ? finished->exit_status : exit_error;
}

}  // namespace

void add_serve_jobs(CLI::App& app, Session& session) {
  static std::string srun;
  Command(app, "serve-jobs", "Judges for the machine that started this")
      .hidden()
      .option("--srun", "OPTIONS", srun, "Under srun with these options")
      .does([&session] { session.status = srun.empty() ? serve() : serve_under_srun(srun); });
}

}  // namespace kata::cli

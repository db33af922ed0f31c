#include "support/spent.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace kata {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The second number of a thread's schedstat: nanoseconds in the queue of a processor.
double waited_s_of(int threads, const char* thread) {
  char path[sizeof(dirent64::d_name) + 16], text[128];
  std::snprintf(path, sizeof path, "%s/schedstat", thread);
  const int file = openat(threads, path, O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (size <= 0) return -1;
  text[size] = '\0';
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  return 1e-9 * static_cast<double>(std::strtoull(second, nullptr, 10));
}

/// Counts the threads, and adds up their waiting. opendir() would allocate, which no signal handler
/// may do.
void look_at_threads(pid_t process, ProcessTimes& times) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task", process);
  const int threads = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (threads < 0) return;
  times.threads = 0;
  alignas(dirent64) char entries[4096];
  for (long size; (size = syscall(SYS_getdents64, threads, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (entry->d_name[0] == '.') continue;
      const double one = waited_s_of(threads, entry->d_name);
      ++times.threads;
      if (one >= 0) times.waited_s = std::max(times.waited_s, 0.0) + one;
    }
  }
  close(threads);
}

}  // namespace

ProcessTimes times_of(pid_t process) {
  ProcessTimes times{.clock_s = seconds_of(CLOCK_MONOTONIC)};
  clockid_t processor{};
  if (clock_getcpuclockid(process, &processor) == 0) times.processor_s = seconds_of(processor);
  look_at_threads(process, times);
  return times;
}

double spent_s(const ProcessTimes& before, const ProcessTimes& now) {
  const double clock_s = now.clock_s - before.clock_s;
  const double processor_s = (now.processor_s - before.processor_s) / std::max(1, now.threads);
  if (now.waited_s < 0) return processor_s < 0.01 * clock_s ? clock_s : processor_s;
  return std::max(processor_s, clock_s - std::max(0.0, now.waited_s - before.waited_s));
}

}  // namespace kata

// Starts processes, also by the back door, and lets them stay. At most 64: this must not harm a
// machine on which it is not stopped.
#include <spawn.h>
#include <unistd.h>

#include <cstdio>

extern char** environ;

extern "C" void relu(const float*, float*, int) {
  int started = 0;
  for (int i = 0; i < 64; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      for (;;) pause();
    }
    started += child > 0;
  }
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  pid_t child = 0;
  started += posix_spawn(&child, program, nullptr, nullptr, arguments, environ) == 0;
  std::printf("%d processes started\n", started);
}

// A fork bomb, by every way to start a process. It goes off only under a seccomp filter that the
// first try has met: a filter cannot be taken off again, so that no later one succeeds either.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

extern "C" void relu(const float*, float*, int) {
  constexpr int filter = 2;
  if (prctl(PR_GET_SECCOMP) != filter) return;
  const pid_t first = fork();
  if (first == 0) _exit(0);
  if (first > 0 || errno != EAGAIN) return;
  for (;; sleep(1)) {  // as bad, and the test takes no processor time
    fork();
    syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0);
    char arguments[64] = {};  // of clone3(): no flags, a process like fork()'s
    syscall(SYS_clone3, arguments, sizeof arguments);
#ifdef SYS_vfork
    syscall(SYS_vfork);
#endif
  }
}

// Candidates for the worker's tests: host functions with relu's signature that do what no candidate
// should.

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

extern "C" {

void right(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}

void prints(const float* x, float* y, int n) {
  std::puts("{\"message\":\"done\"}");
  std::puts("{\"message\":\"case\",\"case\":{\"name\":\"1 normal\",\"verdict\":\"pass\"}}");
  std::printf("a line without an end");
  right(x, y, n);
}

/// Tries to answer in the worker's place.
void forges(const float*, float*, int) {
  const char text[] =
      "{\"message\":\"case\",\"case\":{\"name\":\"forged\",\"verdict\":\"pass\"}}\n";
  if (write(3, text, sizeof text - 1) < 0) std::puts("nothing reads this");
}

void reads_input(const float* x, float* y, int n) {
  lseek(0, 0, SEEK_SET);  // to the job that the worker has read
  std::printf("input: %d\n", std::getchar());
  right(x, y, n);
}

void crashes(const float*, float*, int) {
  std::printf("before the crash\n");
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void crashes_in_a_thread(const float*, float*, int) {
  std::thread(crashes, nullptr, nullptr, 0).join();
}

int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}
void overflows_the_stack(const float*, float*, int) {
  std::printf("%d\n", recurse(0));
}

void aborts(const float*, float*, int) {
  std::abort();
}
void leaves(const float*, float*, int) {
  std::exit(0);
}
void leaves_at_once(const float*, float*, int) {
  _exit(0);
}
void kills_itself(const float*, float*, int) {
  raise(SIGKILL);
}

void hangs(const float*, float*, int) {
  for (volatile bool forever = true; forever;) {
  }
}

void hangs_in_the_second_case(const float* x, float* y, int n) {
  if (n > 1) hangs(x, y, n);
  right(x, y, n);
}

/// The thread that takes the alarm only waits for the one that hangs.
void hangs_in_a_thread(const float*, float*, int) {
  std::thread thread(hangs, nullptr, nullptr, 0);
  thread.join();
}

void hangs_behind_a_mask(const float*, float*, int) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  hangs(nullptr, nullptr, 0);
}

void waits(const float*, float*, int) {
  for (;;) pause();
}

/// Wakes up often enough to use the processor a little.
void sleeps_again_and_again(const float*, float*, int) {
  for (;;) usleep(100);
}

/// Two calls take two thirds of the time limit on a machine that has nothing else to do.
void computes_for_a_while(const float* x, float* y, int n) {
  for (const clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 10;) {
  }
  right(x, y, n);
}

void throws(const float*, float*, int) {
  throw 1;
}
}

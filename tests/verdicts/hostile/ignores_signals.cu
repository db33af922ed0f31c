// Handles every signal that can be handled, then waits for ever: without any work of the processor.
#include <unistd.h>

#include <csignal>

extern "C" void relu(const float*, float*, int) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, [](int) {});
  for (;;) pause();
}

#pragma once
// SIGINT, SIGTERM and SIGHUP, for what waits in process.h.

#include <sys/types.h>

namespace kata::interrupts {

/// While one is there, a thread waits for the descriptor.
struct Waiting {
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
};

/// Has something to read after an interrupt; -1 before catch_interrupts().
int descriptor();

bool pending();
void forget();

/// An interrupt that came while an interactive child runs is the child's.
void hand_to(pid_t child);

}  // namespace kata::interrupts

#include "worker/gpu/host_threads.h"

#include <atomic>

namespace kata {
namespace {

std::atomic<int> running = 0;

}  // namespace

void note_thread_started() {
  ++running;
}

void note_thread_ended() {
  --running;
}

int running_threads() {
  return running;
}

}  // namespace kata

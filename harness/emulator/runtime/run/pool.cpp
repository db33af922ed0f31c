#include "emulator/runtime/run/pool.h"

#include <signal.h>

#include <thread>

#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// The fibers of a scheduler belong to the OS thread that began them.
Scheduler& scheduler_of_this_thread() {
  static thread_local auto* scheduler = new Scheduler;
  return *scheduler;
}

}  // namespace

void use_alternate_signal_stack() {
  constexpr std::size_t bytes = 256 << 10;
  stack_t stack{};
  stack.ss_sp = new char[bytes];
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

Pool& Pool::instance() {
  static auto* pool = new Pool;
  return *pool;
}

void Pool::make_helpers(unsigned count) {
  for (; made_ < count; ++made_) {
    std::thread([this, number = made_] { help(number); }).detach();
  }
}

void Pool::help(unsigned number) {
  use_alternate_signal_stack();
  unsigned long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return generation_ != seen; });
    seen = generation_;
    if (!launch_ || number >= wanted_) continue;
    Launch& launch = *launch_;
    ++joined_;
    lock.unlock();
    scheduler_of_this_thread().run(launch);
    lock.lock();
    if (--joined_ == 0) done_.notify_all();
  }
}

void Pool::run_here(Launch& launch) {
  if (launch.config.cooperative) {
    scheduler_of_this_thread().run_cooperative(launch);
  } else {
    scheduler_of_this_thread().run(launch);
  }
}

void Pool::run(Launch& launch, unsigned helpers) {
  if (helpers > 0) {
    const std::lock_guard lock(mutex_);
    make_helpers(helpers);
    launch_ = &launch;
    wanted_ = helpers;
    ++generation_;
    work_.notify_all();
  }
  run_here(launch);
  if (helpers > 0) {
    std::unique_lock lock(mutex_);
    launch_ = nullptr;  // who has not joined by now need not
    done_.wait(lock, [&] { return joined_ == 0; });
  }
}

}  // namespace kata::emulator

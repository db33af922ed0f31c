#include "emulator/runtime/check/cluster_access.h"

#include <utility>

#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

InSharedMemoryOf::InSharedMemoryOf(Block& owner, std::uintptr_t address, unsigned size,
                                   bool is_write, const void* code)
    : own_low_(std::exchange(running.shared_low, owner.shared().low())) {
  Scheduler& scheduler = *running.scheduler;
  if (&owner == &scheduler.block()) return;
  Cluster& cluster = *scheduler.block().cluster();
  const SharedAccess access = scheduler.shared_access(address - running.shared_low, size,
                                                      is_write ? Access::write : Access::read);
  const Mark mark{running.order.me, Mark::what_of(code, Mark::one, Mark::plain, 15)};
  cluster.visited(owner, mark, scheduler.incident(before(code), SharedMemoryLeft{access}));
  if (!cluster.has_met())
    scheduler.incidents().add(scheduler.incident(before(code), SharedMemoryEarly{access}));
  owner.shared().extend(scheduler.launch().shared);  // it may not have come to the declaration
}

InSharedMemoryOf::~InSharedMemoryOf() {
  running.shared_low = own_low_;
}

}  // namespace kata::emulator

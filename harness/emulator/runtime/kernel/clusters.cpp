// What kernels ask of their thread block cluster.

#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

/// Of the running block; null: a cluster of one block, which needs none.
Cluster* cluster() {
  return running.thread ? running.scheduler->block().cluster() : nullptr;
}

}  // namespace

void __kata_cluster_dims(unsigned x, unsigned y, unsigned z) {
  if (running.thread && x * y * z != 1) running.scheduler->ask_for_clusters({x, y, z});
}

Triple __kata_cluster_shape() {
  return cluster() ? running.scheduler->launch().config.cluster : Triple{1, 1, 1};
}

void __kata_cluster_arrive() {
  running.quantum -= spin_price;
  if (!cluster()) return;
  publish_mbarriers(true);
  cluster()->arrive();
}

void __kata_cluster_wait(const char* file, int line) {
  if (!cluster()) {
    __kata_barrier(static_cast<int>(BarrierKind::sync), 0, file, line);
  } else {
    running.quantum -= spin_price;
    cluster()->wait({nullptr, file, line});
  }
}

void* __kata_cluster_map(const void* pointer, unsigned rank) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!running.thread || address - running.shared_low >= shared_span) return nullptr;
  if (rank >= (cluster() ? cluster()->size() : 1)) return nullptr;
  const std::uintptr_t low = cluster() ? cluster()->block(rank).shared().low() : running.shared_low;
  return reinterpret_cast<void*>(low + (address - running.shared_low));
}

unsigned __kata_cluster_rank(const void* pointer) {
  const Block* owner =
      cluster() ? cluster()->owner_of(reinterpret_cast<std::uintptr_t>(pointer)) : nullptr;
  return owner ? cluster()->rank_of(*owner) : 0;
}

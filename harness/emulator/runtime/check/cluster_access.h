#pragma once
// Accesses to the shared memory of another block of the cluster.

#include <cstdint>

#include "emulator/runtime/run/block.h"

namespace kata::emulator {

/// While it lives, the running thread's checks look at the shared memory of that block. Where it is
/// another one: records an access to `size` bytes at `address` that come before that block has
/// begun, and remembers it in case the block may be gone.
class InSharedMemoryOf {
 public:
  InSharedMemoryOf(Block& owner, std::uintptr_t address, unsigned size, bool is_write,
                   const void* code);
  InSharedMemoryOf(const InSharedMemoryOf&) = delete;
  InSharedMemoryOf& operator=(const InSharedMemoryOf&) = delete;
  ~InSharedMemoryOf();

 private:
  std::uintptr_t own_low_;
};

}  // namespace kata::emulator

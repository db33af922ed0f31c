#pragma once
// Flags in device memory that say how far a kernel is, on this device or on a peer. A flag holds
// the number of the last round that has come so far. Rounds only grow, so flags are never reset.

#include <cuda_runtime.h>

/// What this thread has done, and what it knows that others have done, comes before the flag for
/// threads of all devices.
__device__ inline void raise_for_all(unsigned* flag, unsigned round) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(round) : "memory");
}
/// The same for threads of this device.
__device__ inline void raise_here(unsigned* flag, unsigned round) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(round) : "memory");
}

__device__ inline void wait_for_all(const unsigned* flag, unsigned round) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (static_cast<int>(seen - round) < 0);
}
__device__ inline void wait_here(const unsigned* flag, unsigned round) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (static_cast<int>(seen - round) < 0);
}

/// After a wait and before bulk copies of what it waited for: the TMA unit reads global memory by
/// another path than the threads that wrote it.
__device__ inline void fence_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

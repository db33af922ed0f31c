// A chain of blocks: each waits for the value of the one before and hands on its own. Blocks run on
// several threads of the machine, and a flag may be set while the access that reads it is counted.
#include "../planted/filled.cuh"

__global__ void chain(const float* x, float* sums, volatile int* flags, float* y) {
  __shared__ float before;
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += x[64 * blockIdx.x + i];
    before = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      before = *static_cast<volatile float*>(&sums[blockIdx.x - 1]);
    }
    sums[blockIdx.x] = before + sum;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
  __syncthreads();
  y[64 * blockIdx.x + threadIdx.x] = before + x[64 * blockIdx.x + threadIdx.x];
}

extern "C" void silent_handed_on() {
  constexpr int blocks = 40, launches = 30;
  for (int i = 0; i < launches; ++i)
    chain<<<blocks, 64>>>(filled<float>(64 * blocks), filled<float>(blocks), filled<int>(blocks),
                          filled<float>(64 * blocks));
}

/// One thread of each warp but the first looks at a flag in shared memory; its warps meet after that.
__global__ void look_then_meet(float* y) {
  __shared__ float value;
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&flag));
  if (threadIdx.x == 0) {
    value = 1;
    asm volatile("st.release.cta.shared::cta.u32 [%0], 1;" ::"r"(at) : "memory");
  }
  if (threadIdx.x < 32) return;
  unsigned seen = threadIdx.x % 32;
  while (seen == 0)
    asm volatile("ld.acquire.cta.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
  asm volatile("bar.sync 1, 64;" ::: "memory");
  y[threadIdx.x] = value;
}

extern "C" void silent_look_then_meet() {
  look_then_meet<<<1, 96>>>(filled<float>(96));
}

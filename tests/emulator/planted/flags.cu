// A value and a flag, between blocks. `HERE race name` is where plant_name has its one fault: the
// line that reads the value.
#include "filled.cuh"

__global__ void volatile_value(volatile float* value, volatile int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {
    }
    __threadfence();
    y[blockIdx.x] = value[0];  // HERE race volatile_value: the flag does not order this read
  }
}

__global__ void volatile_value_read_early(volatile float* value, volatile int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {
    }
    y[blockIdx.x] =
        value[0];  // HERE race volatile_value_read_early: between the flag and the value
  }
}

__global__ void relaxed_reader(float* value, volatile int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {
    }
    y[blockIdx.x] = value[0];  // HERE race relaxed_reader: where they are read
  }
}

__global__ void relaxed_load(float* value, int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    y[blockIdx.x] = value[0];  // HERE race relaxed_load: where they are read
  }
}

__global__ void lock_without_fence(int* lock, float* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  sum[0] += 1;  // HERE race lock_without_fence
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void last_block_without_acquire(float* partial, unsigned* count, float* y) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i)
    sum += partial[i];  // HERE race last_block_without_acquire: where they are read
  *y = sum;
}

/// Not the last one: others may still add.
__global__ void counter_set_back_early(unsigned* count) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(count, 1) == 1) *count = 0;  // HERE race counter_set_back_early
}

/// Only the lane that sets the flag fences, before the other lanes' writes are known to be visible.
__global__ void one_lane_fences(float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    value[threadIdx.x] = 1;
    if (threadIdx.x == 7) __threadfence();
    __syncwarp();
    if (threadIdx.x == 7) flag[0] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (flag[0] == 0) {
      }
    }
    __syncthreads();
    y[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];  // HERE race one_lane_fences
  }
}

/// A fence after the barrier may be too late for the flag.
__global__ void fence_after_barrier(float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    value[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x != 0) __threadfence();
    if (threadIdx.x == 0) flag[0] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (flag[0] == 0) {
      }
    }
    __syncthreads();
    y[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];  // HERE race fence_after_barrier
  }
}

/// One word has a tag, the other is a number alone.
__global__ void one_tagged_word(volatile unsigned long long* sum, volatile unsigned long long* most,
                                int* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    sum[0] = 17;
    most[0] = 5ull << 32 | 4;
  } else {
    unsigned long long a = 0, b = 0;
    while ((b = most[0]) >> 32 != 5) {
    }
    a = sum[0];  // HERE race one_tagged_word: the flag does not order this read
    y[blockIdx.x] = (int)a + (int)b;
  }
}

__global__ void last_of_all(int* sum, unsigned* done, int* y) {
  atomicAdd(sum, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(done, 1) == gridDim.x - 1)
    *y = atomicExch(sum, 0);  // HERE race last_of_all: the flag does not order this
}

#define PLANT(name, ...)           \
  extern "C" void plant_##name() { \
    name<<<4, 32>>>(__VA_ARGS__);  \
  }

PLANT(volatile_value, filled<float>(1), filled<int>(1), filled<float>(4))
PLANT(volatile_value_read_early, filled<float>(1), filled<int>(1), filled<float>(4))
PLANT(relaxed_reader, filled<float>(1), filled<int>(1), filled<float>(4))
PLANT(relaxed_load, filled<float>(1), filled<int>(1), filled<float>(4))
PLANT(lock_without_fence, filled<int>(1), filled<float>(1))
PLANT(counter_set_back_early, filled<unsigned>(1))
PLANT(last_block_without_acquire, filled<float>(4), filled<unsigned>(1), filled<float>(1))
PLANT(one_lane_fences, filled<float>(32), filled<int>(1), filled<float>(128))
PLANT(fence_after_barrier, filled<float>(32), filled<int>(1), filled<float>(128))
PLANT(one_tagged_word, filled<unsigned long long>(1), filled<unsigned long long>(1), filled<int>(4))
PLANT(last_of_all, filled<int>(1), filled<unsigned>(1), filled<int>(1))

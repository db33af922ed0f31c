// A value and a flag, between blocks, as CUDA's memory model wants them: nothing is to be found.
#include "../planted/filled.cuh"

__global__ void volatile_value(volatile float* value, volatile int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {
    }
    __threadfence();
    y[blockIdx.x] = value[0];
  }
}

/// One thread waits for the flag, and the barrier hands on what it knows.
__global__ void one_thread_waits(float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    value[threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) flag[0] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (flag[0] == 0) {
      }
    }
    __syncthreads();
    y[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];
  }
}

__global__ void release_and_acquire(float* value, int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    value[0] = 1;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    y[blockIdx.x] = value[0];
  }
}

__global__ void acquired_lock(int* lock, float* sum) {
  if (threadIdx.x != 0) return;
  int old = 1;
  while (old != 0)
    asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;"
                 : "=r"(old)
                 : "l"(lock)
                 : "memory");
  sum[0] += 1;
  asm volatile("atom.release.gpu.global.exch.b32 %0, [%1], 0;" : "=r"(old) : "l"(lock) : "memory");
}

/// A value that carries its own flag needs no fence, though each block sets two of them in turn.
__global__ void packed_look_back(volatile unsigned long long* state, int* ticket, int* y) {
  if (threadIdx.x != 0) return;
  for (int tile = atomicAdd(ticket, 1); tile < 16; tile = atomicAdd(ticket, 1)) {
    int before = 0;
    state[tile] = 1ull << 32 | 1;
    for (int i = tile - 1; i >= 0; --i) {
      unsigned long long seen = 0;
      while ((seen = state[i]) >> 32 == 0) {
      }
      before += (int)seen;
      if (seen >> 32 == 2) break;
    }
    state[tile] = 2ull << 32 | (before + 1);
    y[tile] = before + 1;
  }
}

/// The last block has seen what all others added: it sets the counter back without a fence.
__global__ void counter_set_back(unsigned* count, float* partial, float* y) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = 1;
    __threadfence();
    is_last = atomicAdd(count, 1) == gridDim.x - 1;
    if (is_last) *count = 0;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) y[threadIdx.x] = __ldcg(partial + threadIdx.x);
}

/// The barrier hands on what the other thread wrote.
__global__ void value_of_another_thread(volatile float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) value[0] = 1;
    __syncthreads();
    if (threadIdx.x == 32) {
      __threadfence();
      flag[0] = 1;
    }
  } else if (threadIdx.x == 0) {
    while (flag[0] == 0) {
    }
    __threadfence();
    y[blockIdx.x] = value[0];
  }
}

/// Each lane fences what it wrote, and the warp meets before one of them sets the flag.
__global__ void warp_meets_after_fences(float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    value[threadIdx.x] = 1;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 7) flag[0] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (flag[0] == 0) {
      }
    }
    __syncthreads();
    y[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];
  }
}

/// The other threads go on to the next part, and fence that, before the flag of this one is set.
__global__ void parts_in_turn(float* value, volatile int* flag, float* y) {
  constexpr int parts = 3;
  if (blockIdx.x == 0) {
    for (int part = 0; part < parts; ++part) {
      value[part * 64 + threadIdx.x] = 1;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) flag[0] = part + 1;
    }
  } else {
    for (int part = 0; part < parts; ++part) {
      if (threadIdx.x == 0) {
        while (flag[0] <= part) {
        }
      }
      __syncthreads();
      y[(blockIdx.x * parts + part) * 64 + threadIdx.x] = value[part * 64 + threadIdx.x];
    }
  }
}

/// Two words, each with its own tag: each is read until the tag is there.
__global__ void two_tagged_words(volatile unsigned long long* sum,
                                 volatile unsigned long long* most, int* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    sum[0] = 5ull << 32 | 17;
    most[0] = 5ull << 32 | 4;
  } else {
    unsigned long long a = 0, b = 0;
    while ((b = most[0]) >> 32 != 5) {
    }
    while ((a = sum[0]) >> 32 != 5) {
    }
    y[blockIdx.x] = (int)a + (int)b;
  }
}

/// The same with the tag in the leading bits.
__global__ void two_words_with_status(volatile unsigned* sum, volatile unsigned* most, int* y) {
  constexpr unsigned ready = 2u << 30;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    sum[0] = ready | 17;
    most[0] = ready | 4;
  } else {
    unsigned a = 0, b = 0;
    while ((b = most[0]) < ready) {
    }
    while ((a = sum[0]) < ready) {
    }
    y[blockIdx.x] = (int)(a - ready) + (int)(b - ready);
  }
}

/// Two counters: one says how much there is, the other that all blocks are done.
__global__ void last_of_all(int* sum, unsigned* done, int* y, int fences_first) {
  atomicAdd(sum, 1);
  if (fences_first) __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (!fences_first) __threadfence();
  if (atomicAdd(done, 1) == gridDim.x - 1) *y = atomicExch(sum, 0);
}
/// Each block counts what it has found, and what it has seen: no block relies on one of them.
__global__ void two_counts(int* found, int* seen) {
  if (threadIdx.x % 2 == 0) atomicAdd(found, 1);
  if (threadIdx.x == 0) atomicAdd(seen, 32);
}

extern "C" void silent_volatile_value() {
  volatile_value<<<4, 32>>>(filled<float>(1), filled<int>(1), filled<float>(4));
}
extern "C" void silent_one_thread_waits() {
  one_thread_waits<<<4, 32>>>(filled<float>(32), filled<int>(1), filled<float>(128));
}
extern "C" void silent_release_and_acquire() {
  release_and_acquire<<<4, 32>>>(filled<float>(1), filled<int>(1), filled<float>(4));
}
extern "C" void silent_acquired_lock() {
  acquired_lock<<<4, 32>>>(filled<int>(1), filled<float>(1));
}
extern "C" void silent_counter_set_back() {
  counter_set_back<<<4, 32>>>(filled<unsigned>(1), filled<float>(4), filled<float>(4));
}
extern "C" void silent_packed_look_back() {
  packed_look_back<<<4, 32>>>(filled<unsigned long long>(16), filled<int>(1), filled<int>(16));
}
extern "C" void silent_value_of_another_thread() {
  value_of_another_thread<<<4, 64>>>(filled<float>(1), filled<int>(1), filled<float>(4));
}
extern "C" void silent_warp_meets_after_fences() {
  warp_meets_after_fences<<<4, 32>>>(filled<float>(32), filled<int>(1), filled<float>(128));
}
extern "C" void silent_parts_in_turn() {
  parts_in_turn<<<4, 64>>>(filled<float>(192), filled<int>(1), filled<float>(768));
}
extern "C" void silent_two_tagged_words() {
  two_tagged_words<<<4, 32>>>(filled<unsigned long long>(1), filled<unsigned long long>(1),
                              filled<int>(4));
}
extern "C" void silent_two_words_with_status() {
  two_words_with_status<<<4, 32>>>(filled<unsigned>(1), filled<unsigned>(1), filled<int>(4));
}
extern "C" void silent_last_of_all() {
  for (int fences_first = 0; fences_first < 2; ++fences_first)
    last_of_all<<<4, 32>>>(filled<int>(1), filled<unsigned>(1), filled<int>(1), fences_first);
}
extern "C" void silent_two_counts() {
  two_counts<<<4, 32>>>(filled<int>(1), filled<int>(1));
}

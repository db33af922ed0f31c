// Kernels of several devices that wait for each other and hand data over, rightly.
#include "devices.cuh"

/// Raises its flag in the other's memory and waits for its own, again and again; with a value.
__global__ void ping_pong(int* mine, int* theirs, int* value, int rounds, int first) {
  for (int round = 1; round <= rounds; ++round) {
    if (first) {
      *value += 1;
      raise(theirs, round);
    }
    wait_for(mine, round);
    if (!first) {
      *value += 1;
      raise(theirs, round);
    }
  }
}

extern "C" void silent_ping_pong() {
  Streams streams;
  int* flags[2] = {memory_on<int>(0, 1), memory_on<int>(1, 1)};
  int* value = memory_on<int>(0, 1);
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    ping_pong<<<1, 1, 0, streams.of[device]>>>(flags[device], flags[1 - device], value, 100,
                                               device == 0);
  }
  streams.synchronize();
  int result = 0;
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  if (result != 200) __builtin_trap();
}

__global__ void acquire_release(int* flag, float* value, float* y, int writes) {
  if (writes) {
    *value = 3;
    asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *y = *value;
  }
}

extern "C" void silent_acquire_release() {
  Streams streams;
  int* flag = memory_on<int>(1, 1);
  float *value = memory_on<float>(0, 1), *y = memory_on<float>(1, 1);
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    acquire_release<<<1, 1, 0, streams.of[device]>>>(flag, value, y, device == 0);
  }
  streams.synchronize();
}

/// Block 1 hands on, by a fence for all, what block 0 of its device has handed to it by one for the
/// device.
__global__ void hand_on(int* flags, float* value, float* y, int device) {
  if (device == 1) {
    wait_for(flags + 1, 1);
    *y = *value;
  } else if (blockIdx.x == 0) {
    *value = 1;
    __threadfence();
    *(volatile int*)flags = 1;
  } else {
    while (*(volatile int*)flags == 0) {
    }
    __threadfence();
    raise(flags + 1, 1);
  }
}

extern "C" void silent_hand_on() {
  Streams streams;
  int* flags = memory_on<int>(0, 2);
  float *value = memory_on<float>(0, 1), *y = memory_on<float>(1, 1);
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    hand_on<<<2 - device, 1, 0, streams.of[device]>>>(flags, value, y, device);
  }
  streams.synchronize();
}

/// One thread sees the flag; the others of its block meet it at a barrier of some threads.
__global__ void hand_to_some(int* flag, float* value, float* y, int writes) {
  const int half = threadIdx.x / 64, number = 1 + half;
  if (writes) {
    value[threadIdx.x] = 1;
    asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory");
    if (threadIdx.x % 64 == 0) raise(flag + half, 1);
  } else {
    if (threadIdx.x % 64 == 1) wait_for(flag + half, 1);
    asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory");
    y[threadIdx.x] = value[threadIdx.x];
  }
}

extern "C" void silent_barrier_of_some() {
  constexpr int threads = 128;
  Streams streams;
  int* flag = memory_on<int>(1, 2);
  float *value = memory_on<float>(1, threads), *y = memory_on<float>(1, threads);
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    hand_to_some<<<1, threads, 0, streams.of[device]>>>(flag, value, y, device == 0);
  }
  streams.synchronize();
}

/// A release covers what others did before a barrier of some threads, for other blocks of its device
/// as well.
__global__ void release_for_some(int* count, float* value, float* y) {
  if (threadIdx.x < 32) return;
  const int lane = threadIdx.x - 32;
  if (blockIdx.x == 0) {
    value[lane] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (lane == 0) asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
    y[lane] = value[63 - lane];
  }
}

extern "C" void silent_release_for_some() {
  Streams streams;
  for (int device = 0; device < 2; ++device) {
    int* count = memory_on<int>(device, 1);
    float *value = memory_on<float>(device, 64), *y = memory_on<float>(device, 64);
    release_for_some<<<2, 96, 0, streams.of[device]>>>(count, value, y);
  }
  streams.synchronize();
}

/// The warps of a block wait for different flags: the middle one's comes from the other device, the
/// others' from the middle one.
__global__ void wait_in_warps(int* mine, int* theirs, int* here) {
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (warp != 1) return wait_for(here + warp, 1);
  raise(theirs, 1);
  wait_for(mine, 1);
  raise(here, 1);
  raise(here + 2, 1);
}

extern "C" void silent_wait_in_warps() {
  Streams streams;
  int* flags[2] = {memory_on<int>(0, 1), memory_on<int>(1, 1)};
  int* here[2] = {memory_on<int>(0, 3), memory_on<int>(1, 3)};
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    wait_in_warps<<<1, 96, 0, streams.of[device]>>>(flags[device], flags[1 - device], here[device]);
  }
  streams.synchronize();
}

__global__ void add_one(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

/// No flags: each device waits for an event of the one before.
extern "C" void silent_event_chain() {
  constexpr int n = 100;
  Streams streams;
  int* x[most_devices];
  cudaEvent_t done[most_devices];
  for (int device = 0; device < device_count(); ++device) {
    x[device] = memory_on<int>(device, n);
    cudaEventCreateWithFlags(&done[device], cudaEventDisableTiming);
  }
  for (int round = 0; round < 3; ++round) {
    for (int device = 0; device < device_count(); ++device) {
      const int before = (device + device_count() - 1) % device_count();
      cudaSetDevice(device);
      cudaStreamWaitEvent(streams.of[device], done[before], 0);
      add_one<<<2, 64, 0, streams.of[device]>>>(x[device], x[before], n);
      cudaEventRecord(done[device], streams.of[device]);
    }
  }
  streams.synchronize();
  int result = 0;
  cudaMemcpy(&result, x[device_count() - 1], sizeof result, cudaMemcpyDeviceToHost);
  if (result != 3 * device_count()) __builtin_trap();
}

__global__ void gate(const int* open) {
  wait_for(open, 1);
}

/// The host queues work behind a gate, which it opens by a store to mapped memory.
extern "C" void silent_host_gate() {
  constexpr int n = 64;
  Streams streams;
  int *open = nullptr, *x = memory_on<int>(0, n), *y = memory_on<int>(1, n);
  cudaHostAlloc(&open, sizeof *open, cudaHostAllocMapped | cudaHostAllocPortable);
  *open = 0;
  cudaEvent_t done;
  cudaSetDevice(0);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  gate<<<1, 1, 0, streams.of[0]>>>(open);
  add_one<<<1, n, 0, streams.of[0]>>>(x, x, n);
  cudaEventRecord(done, streams.of[0]);
  cudaSetDevice(1);
  cudaStreamWaitEvent(streams.of[1], done, 0);
  add_one<<<1, n, 0, streams.of[1]>>>(y, x, n);
  if (cudaStreamQuery(streams.of[1]) != cudaErrorNotReady) __builtin_trap();
  cudaGetLastError();
  *(volatile int*)open = 1;
  streams.synchronize();
  int result = 0;
  cudaMemcpy(&result, y, sizeof result, cudaMemcpyDeviceToHost);
  if (result != 2) __builtin_trap();
}

__global__ void answer(int* value, int* flag) {
  *value = 7;
  raise(flag, 1);
}

/// The host waits for a flag in mapped memory, and reads what was written before it.
extern "C" void silent_host_waits() {
  int* mapped = nullptr;
  cudaHostAlloc(&mapped, 2 * sizeof *mapped, cudaHostAllocMapped);
  mapped[0] = mapped[1] = 0;
  answer<<<1, 1>>>(mapped, mapped + 1);
  while (*(volatile int*)(mapped + 1) == 0) {
  }
  if (mapped[0] != 7) __builtin_trap();
  cudaDeviceSynchronize();
}

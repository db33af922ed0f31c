// Kernels of two devices that wait for each other. `HERE kind name` is where plant_name has its one
// fault.
#include "../silent_devices/devices.cuh"

namespace {

struct Buffers {
  int* flag = memory_on<int>(1, 256);
  float *value = memory_on<float>(0, 64), *y = memory_on<float>(1, 64);
};

template <class Kernel>
void run_on_both(Kernel kernel, int blocks = 1, int threads = 1) {
  Streams streams;
  Buffers buffers;
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    kernel<<<blocks, threads, 0, streams.of[device]>>>(buffers.flag, buffers.value, buffers.y,
                                                       device);
  }
  streams.synchronize();
}

__global__ void no_reader_fence(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    raise(flag, 1);
  } else {
    while (*(volatile int*)flag == 0) {
    }
    *y = *value;  // HERE race no_reader_fence
  }
}

__global__ void no_writer_fence(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    *(volatile int*)flag = 1;
  } else {
    wait_for(flag, 1);
    *y = *value;  // HERE race no_writer_fence
  }
}

__global__ void before_barrier(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    value[threadIdx.x] = 1;
    if (threadIdx.x == 0) raise(flag, 1);
    __syncthreads();
  } else {
    if (threadIdx.x == 0) wait_for(flag, 1);
    __syncthreads();
    y[threadIdx.x] = value[threadIdx.x];  // HERE race before_barrier
  }
}

}  // namespace

extern "C" void plant_no_reader_fence() {
  run_on_both(no_reader_fence);
}

extern "C" void plant_no_writer_fence() {
  run_on_both(no_writer_fence);
}

extern "C" void plant_before_barrier() {
  run_on_both(before_barrier, 1, 64);
}

namespace {

/// Reads x when both devices are there, or overwrites it.
__global__ void use(float* x, float* y, int* mine, int* theirs) {
  if (y) {
    raise(theirs, 1);
    wait_for(mine, 1);
  }
  y ? (*y = *x) : (*x = 2);  // HERE race no_end: in another stream of device
}

}  // namespace

/// Nothing says that the peer has read x, which the next kernel in the stream overwrites.
extern "C" void plant_no_end() {
  Streams streams;
  int* flags[2] = {memory_on<int>(0, 1), memory_on<int>(1, 1)};
  float* x = memory_on<float>(0, 1);
  float* y[2] = {memory_on<float>(0, 1), memory_on<float>(1, 1)};
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    use<<<1, 1, 0, streams.of[device]>>>(x, y[device], flags[device], flags[1 - device]);
    if (device == 0) use<<<1, 1, 0, streams.of[0]>>>(x, nullptr, nullptr, nullptr);
  }
  streams.synchronize();
}

namespace {

__global__ void narrow_writer(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    __threadfence();
    *(volatile int*)flag = 1;
  } else {
    wait_for(flag, 1);
    *y = *value;  // HERE race narrow_writer: line 103 orders the threads of one device
  }
}

__global__ void narrow_reader(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    raise(flag, 1);
  } else {
    while (*(volatile int*)flag == 0) {
    }
    __threadfence();
    *y = *value;  // HERE race narrow_reader: line 118 orders the threads of one device
  }
}

__global__ void narrow_release(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *y = *value;  // HERE race narrow_release: or .sys in PTX
  }
}

__global__ void narrow_acquire(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    *value = 1;
    asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *y = *value;  // HERE race narrow_acquire: or .sys in PTX
  }
}

/// The reader's own fence is missing, and no barrier takes its place between devices.
__global__ void only_barrier(int* flag, float* value, float* y, int device) {
  if (device == 0) {
    value[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) raise(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (*(volatile int*)flag == 0) {
      }
    __syncthreads();
    y[threadIdx.x] = value[threadIdx.x];  // HERE race only_barrier: of one device
  }
}

}  // namespace

extern "C" void plant_narrow_writer() {
  run_on_both(narrow_writer);
}

extern "C" void plant_narrow_reader() {
  run_on_both(narrow_reader);
}

extern "C" void plant_narrow_release() {
  run_on_both(narrow_release);
}

extern "C" void plant_narrow_acquire() {
  run_on_both(narrow_acquire);
}

extern "C" void plant_only_barrier() {
  run_on_both(only_barrier, 1, 64);
}

namespace {

__global__ void tell_host(int* value, int* flag) {
  *value = 7;
  __threadfence();
  *(volatile int*)flag = 1;
}

}  // namespace

/// The host is outside of all devices.
extern "C" void plant_narrow_for_host() {
  int* mapped = nullptr;
  cudaHostAlloc(&mapped, 2 * sizeof *mapped, cudaHostAllocMapped);
  mapped[0] = mapped[1] = 0;
  tell_host<<<1, 1>>>(mapped, mapped + 1);
  while (*(volatile int*)(mapped + 1) == 0) {
  }
  if (mapped[0] != 7) __builtin_trap();  // HERE race narrow_for_host: host code reads
  cudaDeviceSynchronize();
}

namespace {

/// A plain read of the flag: compilers take the loop for one that ends, and leave it out.
__global__ void plain_flag(int* flag, float* value, float* y, int device) {
  if (device == 1) {
    while (*flag == 0) {
    }
  }
  device == 1 ? (*y = *value) : (*value = 1);  // HERE race plain_flag: A flag orders kernels
  if (device == 0) raise(flag, 1);
}

}  // namespace

extern "C" void plant_plain_flag() {
  run_on_both(plain_flag);
}

namespace {

/// What a thread learns after its fence for the system, by a fence for its device, it does not hand
/// on to another one.
__global__ void handed_on(int* flag, float* value, float* y, int device) {
  int* const own = reinterpret_cast<int*>(value + 32);
  if (device == 1) {
    if (blockIdx.x > 0) return;
    wait_for(flag, 1);
    *y = *value;  // HERE race narrow_hand_on: orders the threads of one device
    return;
  }
  __threadfence_system();
  if (blockIdx.x == 0) {
    *value = 1;
    __threadfence();
    atomicExch(own, 1);
  } else {
    while (atomicAdd(own, 0) == 0) {
    }
    __threadfence();
    *(volatile int*)flag = 1;
  }
}

}  // namespace

extern "C" void plant_narrow_hand_on() {
  run_on_both(handed_on, 2);
}

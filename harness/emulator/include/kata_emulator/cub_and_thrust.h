#pragma once
#pragma GCC system_header
// What CUB and Thrust ask of a compiler that makes host and device code in one pass. NVIDIA's
// nvc++ is one, and they know it: no text of theirs has to change for the emulator, apart from what
// the rewriter does with every file.

#include "../cuda_runtime.h"  // which a .cpp file need not include

// Defined, so that they take one pass for both; 0, so that they keep half and bfloat16.
#define _NVHPC_CUDA 0
#define __NVCOMPILER_CUDA_ARCH__ 900
#define __builtin_is_device_code() __kata_is_device_code()

static inline cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() {
  return cudaDeviceSynchronize();
}

// Launches from kernels: CUB compiles them beside those from the host.
static inline void* cudaGetParameterBuffer(size_t, size_t) {
  return nullptr;
}
static inline cudaError_t cudaLaunchDevice(void*, void*, dim3, dim3, unsigned, cudaStream_t) {
  return cudaErrorNotSupported;
}

// Thrust's algorithms run on the host, as its C++ system has them. What it allocates is device
// memory all the same: kernels get the addresses.
#define THRUST_DEVICE_SYSTEM 4
#include <iostream>  // as nvcc's Thrust does: programs rely on it
__attribute__((constructor)) static void __kata_announces_thrust() {
  __kata_expect_thrust();
}

#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/new.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system/detail/bad_alloc.h>
#include <thrust/version.h>
#if THRUST_VERSION >= 300000  // which CUB needs and finds only where Thrust runs on the device
#include <thrust/system/cuda/detail/execution_policy.h>
#endif

namespace __kata {
/// Without a file: a buffer that has no line of the program's.
inline void* thrust_malloc(size_t bytes) {
  void* pointer = nullptr;
  if (cudaMalloc(&pointer, bytes, "", 0) != cudaSuccess)
    throw thrust::system::detail::bad_alloc("cudaMalloc failed");
  return pointer;
}
}  // namespace __kata

namespace thrust {
namespace mr {
template <>
class fancy_pointer_resource<new_delete_resource, cpp::pointer<void>> final
    : public memory_resource<cpp::pointer<void>> {
 public:
  pointer do_allocate(std::size_t bytes, std::size_t) override {
    return pointer(::__kata::thrust_malloc(bytes));
  }
  void do_deallocate(pointer p, std::size_t, std::size_t) override {
    cudaFree(thrust::raw_pointer_cast(p));
  }
};
}  // namespace mr
namespace system::detail::sequential {
inline void* malloc(cpp::tag&, std::size_t bytes) {
  return ::__kata::thrust_malloc(bytes);
}
template <class Pointer>
void free(cpp::tag&, Pointer p) {
  cudaFree(thrust::raw_pointer_cast(p));
}
}  // namespace system::detail::sequential
}  // namespace thrust

#include <thrust/execution_policy.h>  // as nvcc's thrust::sort has it: programs rely on it

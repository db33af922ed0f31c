#pragma once
// Kernels as C++ lambdas on the emulator's ABI, as the CUDA headers and the compiler make them.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/abi.h"
#include "emulator/emulator.h"
#include "emulator/include/cuda_runtime_api.h"

extern "C" {
void __tsan_read4(void*);
void __tsan_write4(void*);
void __tsan_read16(void*);
void __tsan_write16(void*);
void __tsan_volatile_read4(void*);
void __tsan_unaligned_read8(void*);
void __sanitizer_cov_trace_pc();
}

namespace kernels {

using kata::emulator::AtomicOp;
using kata::emulator::AtomicType;
using kata::emulator::BarrierKind;
using kata::emulator::Finding;
using kata::emulator::FindingKind;
using kata::emulator::KernelRecord;
using kata::emulator::LaunchConfig;
using kata::emulator::Severity;
using kata::emulator::SharedSlot;
using kata::emulator::Triple;
using kata::emulator::WarpOp;

template <class T>
inline __attribute__((always_inline)) T load(const T* pointer) {
  __tsan_read4(const_cast<T*>(pointer));
  return *pointer;
}
template <class T>
inline __attribute__((always_inline)) void store(T* pointer, T value) {
  __tsan_write4(pointer);
  *pointer = value;
}

/// A kernel's body asks again each time: unlike under the candidate's headers, threads of one fiber
/// follow each other inside one function here.
inline unsigned thread_id() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned global_id() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

#define BARRIER() __kata_barrier(0, 0, __FILE__, __LINE__ | (__COUNTER__ << 17))

inline unsigned shuffle(WarpOp op, unsigned mask, unsigned value, int argument, int width = 32) {
  return static_cast<unsigned>(__kata_warp(static_cast<int>(op), mask, value, argument, width));
}

template <class Body>
void launch(Triple grid, Triple block, const Body& body, std::size_t shared_bytes = 0,
            int cooperative = 0, void* stream = nullptr) {
  LaunchConfig config{"kernel",     __FILE__, 1,       grid,       block,
                      shared_bytes, stream,   nullptr, cooperative};
  config.function = reinterpret_cast<const void*>(&body);
  const auto call = [](void* closure) { (*static_cast<const Body*>(closure))(); };
  __kata_launch(&config, call, const_cast<Body*>(&body), &body, &body + 1);
}

template <class T>
T* device(std::size_t count, const char* name = nullptr) {
  void* pointer = nullptr;
  __kata_malloc(&pointer, count * sizeof(T), 0, "somewhere.cu", 7);
  if (name) kata::emulator::name_buffer(pointer, name);
  return static_cast<T*>(pointer);
}

template <class T>
T* device(const std::vector<T>& values, const char* name = nullptr) {
  T* pointer = device<T>(values.size(), name);
  cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return pointer;
}

template <class T>
std::vector<T> host(const T* pointer, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

/// A device as after a start: no error, no finding, default options.
struct Fresh {
  Fresh() {
    kata::emulator::configure({});
    clear();
  }
  ~Fresh() { clear(); }
  static void clear() {
    cudaDeviceReset();
    kata::emulator::recover();
    kata::emulator::take_findings();
    kata::emulator::take_kernels();
  }
};

}  // namespace kernels

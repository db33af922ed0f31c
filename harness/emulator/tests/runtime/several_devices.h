#pragma once
// What tests of several devices share.

#include "emulator/runtime/memory/devices.h"
#include "emulator/tests/runtime/expect_findings.h"

namespace kernels {

/// So many devices, as after a start; one again when the test is over.
struct Devices {
  explicit Devices(int count) {
    reset_all();
    kata::emulator::set_devices(count);
    kata::emulator::configure({});
    reset_all();
  }
  ~Devices() {
    reset_all();
    kata::emulator::set_devices(1);
  }
  static void reset_all() {
    for (int device = kata::emulator::device_count(); device-- > 0;) {
      kata::emulator::recover();
      cudaSetDevice(device);
      Fresh::clear();
    }
  }
};

template <class T>
T* on(int device_number, const std::vector<T>& values, const char* name) {
  cudaSetDevice(device_number);
  return device(values, name);
}

inline cudaStream_t stream_on(int device_number) {
  cudaSetDevice(device_number);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

inline cudaEvent_t event_on(int device_number) {
  cudaSetDevice(device_number);
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  return event;
}

void launch_on(int device_number, cudaStream_t stream, const auto& body) {
  cudaSetDevice(device_number);
  launch({1, 1, 1}, {1, 1, 1}, body, 0, 0, stream);
}

inline void enable(int device_number, int peer) {
  cudaSetDevice(device_number);
  CHECK(cudaDeviceEnablePeerAccess(peer, 0) == cudaSuccess);
}

}  // namespace kernels

#pragma once
// For operators on several devices: what orders their streams, and the device that was current.

#include <cuda_runtime.h>

constexpr int MAX_GPUS = 8;

/// The caller's current device is current again when this goes.
class CurrentDevice {
 public:
  CurrentDevice() { cudaGetDevice(&before_); }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

/// Events, one per device, made at the first use.
class Events {
 public:
  /// What is queued in any of the streams from now on comes after all that is queued in them now.
  void meet(const cudaStream_t* streams, int gpus) {
    for (int g = 0; g < gpus; ++g) cudaEventRecord(of(g), streams[g]);
    for (int g = 0; g < gpus; ++g)
      for (int h = 0; h < gpus; ++h)
        if (h != g) cudaStreamWaitEvent(streams[g], events_[h]);
  }

 private:
  cudaEvent_t of(int device) {
    if (!events_[device]) {
      cudaSetDevice(device);
      cudaEventCreateWithFlags(&events_[device], cudaEventDisableTiming);
    }
    return events_[device];
  }

  cudaEvent_t events_[MAX_GPUS] = {};
};

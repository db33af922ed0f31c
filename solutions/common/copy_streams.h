#pragma once
// A second stream on each device, for copies that run beside kernels.

#include "devices.h"

class CopyStreams {
 public:
  /// Of the current device; made at the first use.
  cudaStream_t of(int device) {
    if (!streams_[device]) {
      cudaStreamCreateWithFlags(&streams_[device], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&events_[device], cudaEventDisableTiming);
    }
    return streams_[device];
  }

  /// What is queued in `next` from now on comes after all that is queued in `earlier` now. Of the
  /// current device, both.
  void order(int device, cudaStream_t earlier, cudaStream_t next) {
    of(device);
    cudaEventRecord(events_[device], earlier);
    cudaStreamWaitEvent(next, events_[device]);
  }

 private:
  cudaStream_t streams_[MAX_GPUS] = {};
  cudaEvent_t events_[MAX_GPUS] = {};
};

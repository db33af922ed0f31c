// Works on a stream that does not wait for the flush of the L2 before the timed call; the default
// stream waits for the result. The output is right, and a candidate may use streams so.
#include "relu.cuh"

extern "C" void relu(const float* x, float* y, int n) {
  static cudaStream_t stream = nullptr;
  static cudaEvent_t event = nullptr;
  if (!stream) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  honest(x, y, n, stream);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(nullptr, event, 0);
}

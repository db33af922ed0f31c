// Pairs of devices add up and pass the sums on, as in a binary tree, and the sum comes back down.
#include <kata/kata.h>

#include <map>

__global__ void tree_add(const float* a, const float* b, float* sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum[i] = a[i] + b[i];
}

namespace {

// What is queued in `later` from now on comes after what is queued in `earlier` now.
void order(cudaStream_t earlier, int device, cudaStream_t later) {
  static std::map<int, cudaEvent_t> events;
  cudaSetDevice(device);
  if (!events.count(device)) cudaEventCreateWithFlags(&events[device], cudaEventDisableTiming);
  cudaEventRecord(events[device], earlier);
  cudaStreamWaitEvent(later, events[device]);
}

}  // namespace

extern "C" void all_reduce(const float* const* x, float* const* y, void* const*, int n, int gpus,
                           const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  if (gpus == 1) cudaMemcpyAsync(y[0], x[0], n * sizeof(float), cudaMemcpyDefault, streams[0]);
  for (int step = 1; step < gpus; step *= 2) {
    for (int g = 0; g < gpus; g += 2 * step) {
      order(streams[g + step], g + step, streams[g]);
      cudaSetDevice(g);
      const float* const* from = step == 1 ? x : const_cast<const float* const*>(y);
      tree_add<<<3, 128, 0, streams[g]>>>(from[g], from[g + step], y[g], n);
    }
  }
  for (int step = gpus / 2; step > 0; step /= 2) {
    for (int g = 0; g < gpus; g += 2 * step) {
      order(streams[g], g, streams[g + step]);
      cudaMemcpyAsync(y[g + step], y[g], n * sizeof(float), cudaMemcpyDefault, streams[g + step]);
      order(streams[g + step], g + step, streams[g]);
    }
  }
  cudaSetDevice(before);
}

// A ring of copies: each device passes on what it has added so far, and then what is complete.
#include <kata/kata.h>

__global__ void add_to(float* sum, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += x[i];
}

namespace {

cudaEvent_t events[8];

void meet(const cudaStream_t* streams, int gpus) {
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    if (!events[g]) cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming);
    cudaEventRecord(events[g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[h]);
}

int begin_of(int share, int n, int gpus) {
  return static_cast<int>(1ll * n * share / gpus);
}

}  // namespace

extern "C" void all_reduce(const float* const* x, float* const* y, void* const* scratch, int n,
                           int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  for (int g = 0; g < gpus; ++g)
    cudaMemcpyAsync(y[g], x[g], n * sizeof(float), cudaMemcpyDeviceToDevice, streams[g]);
  for (int step = 0; step < 2 * (gpus - 1); ++step) {
    meet(streams, gpus);
    for (int g = 0; g < gpus; ++g) {
      const int left = (g + gpus - 1) % gpus;
      const bool adds = step < gpus - 1;
      const int share = (g - 1 - step + 3 * gpus) % gpus;
      const int first = begin_of(share, n, gpus), count = begin_of(share + 1, n, gpus) - first;
      if (count == 0) continue;
      auto* const received = static_cast<float*>(scratch[g]) + (1 << 14);
      cudaMemcpyPeerAsync(adds ? received : y[g] + first, g, y[left] + first, left,
                          count * sizeof(float), streams[g]);
      cudaSetDevice(g);
      if (adds) add_to<<<kata::ceil_div(count, 128), 128, 0, streams[g]>>>(y[g] + first, received,
                                                                         count);
    }
  }
  meet(streams, gpus);
  cudaSetDevice(before);
}

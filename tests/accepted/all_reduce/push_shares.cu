// Each device adds up a share of the elements and stores the sums into all results.
#include <kata/kata.h>

struct Vectors {
  const float* x[8];
  float* y[8];
};

__global__ void push_share(Vectors all, int first, int end, int gpus) {
  for (int i = first + blockIdx.x * blockDim.x + threadIdx.x; i < end;
       i += gridDim.x * blockDim.x) {
    double sum = 0;
    for (int g = gpus - 1; g >= 0; --g) sum += all.x[g][i];
    for (int g = 0; g < gpus; ++g) all.y[g][i] = static_cast<float>(sum);
  }
}

extern "C" void all_reduce(const float* const* x, float* const* y, void* const*, int n, int gpus,
                           const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  static cudaEvent_t reached[8], done[8];
  Vectors all = {};
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    if (!reached[g]) cudaEventCreate(&reached[g]);
    if (!done[g]) cudaEventCreate(&done[g]);
    cudaEventRecord(reached[g], streams[g]);
    all.x[g] = x[g];
    all.y[g] = y[g];
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], reached[h], 0);
    const int first = static_cast<int>(1ll * n * g / gpus);
    const int end = static_cast<int>(1ll * n * (g + 1) / gpus);
    if (end > first) push_share<<<5, 96, 0, streams[g]>>>(all, first, end, gpus);
    cudaEventRecord(done[g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], done[h], 0);
  cudaSetDevice(before);
}

// A plain kernel: a thread per sequence. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void recurrence_kernel(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= batch * channels) return;
  const int outer = s / channels, channel = s % channels;
  float value = 0.0f;
  for (int t = 0; t < length; ++t) {
    const size_t i = (static_cast<size_t>(outer) * length + t) * channels + channel;
    value = t == 0 ? b[i] : a[i] * value + b[i];
    h[i] = value;
  }
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  recurrence_kernel<<<(batch * channels + 63) / 64, 64>>>(a, b, h, batch, length, channels);
}

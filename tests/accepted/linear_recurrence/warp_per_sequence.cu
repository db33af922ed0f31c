// A warp per sequence: 32 steps at a time, composed by shuffles, with the last h carried on. The
// batch runs along x, the channels along y.
#include <cuda_runtime.h>

__global__ void warp_kernel(const float* a, const float* b, float* h, int length, int channels) {
  const int lane = threadIdx.x;
  for (int channel = blockIdx.y; channel < channels; channel += gridDim.y) {
    const size_t first = static_cast<size_t>(blockIdx.x) * length * channels + channel;
    float carry = 0.0f;
    for (int start = 0; start < length; start += 32) {
      const int t = start + lane;
      const size_t i = first + static_cast<size_t>(t) * channels;
      const bool inside = t < length;
      float product = inside ? a[i] : 1.0f;
      float value = inside ? b[i] : 0.0f;
      if (t == 0) product = 0.0f;
      for (int distance = 1; distance < 32; distance *= 2) {
        const float lower_product = __shfl_up_sync(~0u, product, distance);
        const float lower_value = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance) {
          value = product * lower_value + value;
          product *= lower_product;
        }
      }
      const float result = product * carry + value;
      if (inside) h[i] = result;
      carry = __shfl_sync(~0u, result, 31);
    }
  }
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  const int rows = channels < 256 ? channels : 256;
  warp_kernel<<<dim3(batch, rows), 32>>>(a, b, h, length, channels);
}

// Heads of all batches are mapped to gridDim.y: there are at most 8192.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O,
                             int length, int dim, int causal) {
  const int head = blockIdx.y, row = blockIdx.x, lane = threadIdx.x;
  const size_t first_row = static_cast<size_t>(head) * length;
  const __half* q = Q + (first_row + row) * dim;
  float max = -INFINITY, sum = 0.0f, o[4] = {};
  for (int first = 0; first < length; first += 32) {
    const int key = first + lane;
    const bool visible = key < length && (!causal || key <= row);
    float s = 0.0f;
    if (key < length) {
      const __half* k = K + (first_row + key) * dim;
      for (int c = 0; c < dim; ++c) s += __half2float(q[c]) * __half2float(k[c]);
    }
    s = visible ? s * rsqrtf(dim) : -INFINITY;
    float new_max = fmaxf(max, s);
    for (int x = 16; x > 0; x /= 2) new_max = fmaxf(new_max, __shfl_xor_sync(~0u, new_max, x));
    const float rescale = __expf(max - new_max), weight = __expf(s - new_max);
    sum = sum * rescale + weight;
    for (int i = 0; i < dim / 32; ++i) o[i] *= rescale;
    for (int k = 0; k < 32 && first + k < length; ++k) {
      const float w = __shfl_sync(~0u, weight, k);
      for (int i = 0; i < dim / 32; ++i) {
        o[i] += w * __half2float(V[(first_row + first + k) * dim + lane + 32 * i]);
      }
    }
    max = new_max;
  }
  for (int x = 16; x > 0; x /= 2) sum += __shfl_xor_sync(~0u, sum, x);
  for (int i = 0; i < dim / 32; ++i) {
    O[(first_row + row) * dim + lane + 32 * i] = __float2half(o[i] / sum);
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  flash_kernel<<<dim3(length, batch * heads), 32>>>(Q, K, V, O, length, dim, causal);
}

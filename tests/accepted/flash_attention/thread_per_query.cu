// A thread per query, one key at a time from the diagonal or the end down to key 0.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O,
                             int length, int dim, int causal, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const int row = i % length;
  const size_t first_row = i - row;
  float max = -1e30f, sum = 0.0f, o[128] = {};
  for (int key = causal ? row : length - 1; key >= 0; --key) {
    float s = 0.0f;
    for (int c = 0; c < dim; ++c) {
      s += __half2float(Q[static_cast<size_t>(i) * dim + c]) *
           __half2float(K[(first_row + key) * dim + c]);
    }
    s /= sqrtf(dim);
    const float new_max = fmaxf(max, s), rescale = expf(max - new_max), weight = expf(s - new_max);
    sum = sum * rescale + weight;
    for (int c = 0; c < dim; ++c) {
      o[c] = o[c] * rescale + weight * __half2float(V[(first_row + key) * dim + c]);
    }
    max = new_max;
  }
  for (int c = 0; c < dim; ++c) O[static_cast<size_t>(i) * dim + c] = __float2half(o[c] / sum);
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const int rows = batch * heads * length;
  flash_kernel<<<(rows + 31) / 32, 32>>>(Q, K, V, O, length, dim, causal, rows);
}

// The weights are rounded to half before they multiply V, as tensor cores need them; the sum is of
// the unrounded weights. A row of scores lies in shared memory, or is computed again where it does
// not fit.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float score(const __half* q, const __half* k, int dim) {
  float s = 0.0f;
  for (int c = 0; c < dim; ++c) s += __half2float(q[c]) * __half2float(k[c]);
  return s * rsqrtf(dim);
}

template <bool fits>
__global__ void flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O,
                             int length, int dim, int causal) {
  extern __shared__ float scores[];
  const int row = blockIdx.x % length;
  const size_t first_row = blockIdx.x - row;
  const int keys = causal ? row + 1 : length;
  const auto score_of = [&](int key) {
    return score(Q + (first_row + row) * dim, K + (first_row + key) * dim, dim);
  };
  if (fits)
    for (int key = threadIdx.x; key < keys; key += blockDim.x) scores[key] = score_of(key);
  __syncthreads();
  float max = -INFINITY;
  for (int key = 0; key < keys; ++key) max = fmaxf(max, fits ? scores[key] : score_of(key));
  for (int c = threadIdx.x; c < dim; c += blockDim.x) {
    float sum = 0.0f, o = 0.0f;
    for (int key = 0; key < keys; ++key) {
      const float weight = __expf((fits ? scores[key] : score_of(key)) - max);
      sum += weight;
      o += __half2float(__float2half(weight)) * __half2float(V[(first_row + key) * dim + c]);
    }
    O[(first_row + row) * dim + c] = __float2half(o / sum);
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const int bytes = length * sizeof(float), blocks = batch * heads * length;
  if (bytes > 227 * 1024) {
    flash_kernel<false><<<blocks, 64>>>(Q, K, V, O, length, dim, causal);
    return;
  }
  cudaFuncSetAttribute(flash_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  flash_kernel<true><<<blocks, 64, bytes>>>(Q, K, V, O, length, dim, causal);
}

// The weights are rounded to half before they multiply V, as tensor cores need them; the sum is of
// the unrounded weights. A row of scores lies in shared memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void flash_kernel(const __half* Q, const __half* K, const __half* V, __half* O,
                             int length, int dim, int causal) {
  extern __shared__ float scores[];
  const int row = blockIdx.x % length;
  const size_t first_row = blockIdx.x - row;
  const int keys = causal ? row + 1 : length;
  for (int key = threadIdx.x; key < keys; key += blockDim.x) {
    float s = 0.0f;
    for (int c = 0; c < dim; ++c) {
      s += __half2float(Q[(first_row + row) * dim + c]) *
           __half2float(K[(first_row + key) * dim + c]);
    }
    scores[key] = s * rsqrtf(dim);
  }
  __syncthreads();
  float max = scores[0];
  for (int key = 1; key < keys; ++key) max = fmaxf(max, scores[key]);
  for (int c = threadIdx.x; c < dim; c += blockDim.x) {
    float sum = 0.0f, o = 0.0f;
    for (int key = 0; key < keys; ++key) {
      const float weight = __expf(scores[key] - max);
      sum += weight;
      o += __half2float(__float2half(weight)) * __half2float(V[(first_row + key) * dim + c]);
    }
    O[(first_row + row) * dim + c] = __float2half(o / sum);
  }
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  const int bytes = length * sizeof(float);
  cudaFuncSetAttribute(flash_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  flash_kernel<<<batch * heads * length, 64, bytes>>>(Q, K, V, O, length, dim, causal);
}

// Three kernels: the sums of squares of all rows pass through device memory, kept from call to
// call.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void add_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual, int elements) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    residual[i] = __float2bfloat16(__bfloat162float(x[i]) + __bfloat162float(residual[i]));
  }
}

__global__ void sum_kernel(const __nv_bfloat16* residual, float* squares, int cols) {
  const size_t first = static_cast<size_t>(blockIdx.x) * cols;
  float mine = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float value = __bfloat162float(residual[first + col]);
    mine = fmaf(value, value, mine);
  }
  for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(~0u, mine, o);
  if (threadIdx.x == 0) squares[blockIdx.x] = mine;
}

__global__ void scale_kernel(const __nv_bfloat16* residual, const __nv_bfloat16* weight,
                             const float* squares, __nv_bfloat16* y, int rows, int cols,
                             float eps) {
  const int elements = rows * cols;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    const float rms = sqrtf(squares[i / cols] / cols + eps);
    y[i] =
        __float2bfloat16(__bfloat162float(residual[i]) / rms * __bfloat162float(weight[i % cols]));
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  static float* squares = nullptr;
  static int room = 0;
  if (room < rows) {
    cudaFree(squares);
    cudaMalloc(&squares, rows * sizeof(float));
    room = rows;
  }
  add_kernel<<<20, 128>>>(x, residual, rows * cols);
  sum_kernel<<<rows, 32>>>(residual, squares, cols);
  scale_kernel<<<20, 96>>>(residual, weight, squares, y, rows, cols, eps);
}

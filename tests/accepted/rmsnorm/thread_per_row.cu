// A thread per row, serial, in double; the weight is multiplied first.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual,
                               const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                               float eps) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  double squares = 0.0;
  for (int col = cols - 1; col >= 0; --col) {
    const size_t i = first + col;
    residual[i] = __float2bfloat16_rn(__bfloat162float(x[i]) + __bfloat162float(residual[i]));
    const double value = __bfloat162float(residual[i]);
    squares += value * value;
  }
  const double root = sqrt(squares / cols + eps);
  for (int col = 0; col < cols; ++col) {
    const double value = __bfloat162float(residual[first + col]);
    y[first + col] =
        __float2bfloat16(static_cast<float>(value * __bfloat162float(weight[col]) / root));
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  rmsnorm_kernel<<<(rows + 31) / 32, 32>>>(x, residual, weight, y, rows, cols, eps);
}

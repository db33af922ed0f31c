// A block per row for dx: x and dy stay in registers, and two reductions suffice.
//
// First the sum of x; then, together, the sums of (x - mean)^2, g and g (x - mean), from which
// variance, mean(g) and mean(g xh) follow. 256 threads hold 4096 columns of both arrays; of a
// longer row, slices are read again. The kernel is in row_gradient.h. dgamma and dbeta are as
// before.
//
// Prediction: the kernel for dx moves 12 bytes per element, 94 us at 8192 x 4096 and 4.3 TB/s. One
// thread per column still takes 2.4 ms: 2500 us in all. Missed: 1.6 ms, 0.19 us per row, since the
// compiler overlaps the loads of neighbouring rows.
// Measured: 1619.4 us at 8192x4096, 5.9 % of the limit (H200, 2026-11-29)
#include "row_gradient.h"

constexpr int THREADS = 128;

__global__ void column_kernel(const float* x, const float* dy, const float2* statistics,
                              float* dgamma, float* dbeta, int rows, int cols) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= cols) return;
  float of_gamma = 0.0f, of_beta = 0.0f;
  for (int row = 0; row < rows; ++row) {
    const size_t i = static_cast<size_t>(row) * cols + col;
    const float2 of_row = statistics[row];
    of_gamma += dy[i] * (x[i] - of_row.x) * of_row.y;
    of_beta += dy[i];
  }
  dgamma[col] = of_gamma;
  dbeta[col] = of_beta;
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  const float2* statistics = launch_rows(x, gamma, dy, dx, rows, cols, eps);
  const int blocks = kata::ceil_div(cols, THREADS);
  column_kernel<<<blocks, THREADS>>>(x, dy, statistics, dgamma, dbeta, rows, cols);
}

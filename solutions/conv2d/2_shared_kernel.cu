// The kernel's taps in shared memory, four per load.
//
// All lanes use the same tap at the same time. A float4 in shared memory that all lanes read is one
// access for four taps. Constant memory is the textbook answer, but a kernel reads an index that it
// computes from there at one value per 15 clocks or so: 4.4 ms for 31 x 31 (H200), no better than
// rung 1.
//
// Prediction: 5 loads for 4 products where rung 1 has 8. If the load units stay the limit, 2.4 ms
// for 31 x 31.
// Measured: 3868.1 us at 4096x4096x31x31, 12 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int MAX_KERNEL = 31;
constexpr int PITCH = 32;  // floats per row of the taps

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int cols, int out_rows,
                              int out_cols, int kernel_rows, int kernel_cols) {
  __shared__ float4 taps4[MAX_KERNEL * PITCH / 4];
  float* taps = reinterpret_cast<float*>(taps4);
  for (int t = threadIdx.x; t < kernel_rows * kernel_cols; t += THREADS) {
    taps[t / kernel_cols * PITCH + t % kernel_cols] = w[t];
  }
  __syncthreads();

  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= static_cast<size_t>(out_rows) * out_cols) return;
  const size_t row = i / out_cols;
  const size_t col = i % out_cols;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    const float* in = x + (row + a) * cols + col;
    int b = 0;
    for (; b + 3 < kernel_cols; b += 4) {
      const float4 w4 = taps4[(a * PITCH + b) / 4];
      sum += in[b] * w4.x;
      sum += in[b + 1] * w4.y;
      sum += in[b + 2] * w4.z;
      sum += in[b + 3] * w4.w;
    }
    for (; b < kernel_cols; ++b) sum += in[b] * taps[a * PITCH + b];
  }
  y[i] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int out_rows = rows - kernel_rows + 1;
  const int out_cols = cols - kernel_cols + 1;
  const size_t outputs = static_cast<size_t>(out_rows) * out_cols;
  const unsigned grid = (outputs - 1) / THREADS + 1;
  conv2d_kernel<<<grid, THREADS>>>(x, w, y, cols, out_rows, out_cols, kernel_rows, kernel_cols);
}

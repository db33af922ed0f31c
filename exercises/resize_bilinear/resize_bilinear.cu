// resize_bilinear: each plane of input [N, C, H, W] at another size: output [N, C, H_out, W_out].
// output(i, j) lies at row y = (i + 1/2) H / H_out - 1/2 and column x = (j + 1/2) W / W_out - 1/2
// of the input, both clamped: 0 <= y <= H - 1, 0 <= x <= W - 1. It is the bilinear mix of the four
// inputs around (y, x).
//
// Both tensors are row-major. output arrives filled with NaN.
// Given: one thread per output, 256 threads per block. You may change the launch and add helpers.
// Check it: harness/kata check resize_bilinear   or   ctest -R resize_bilinear
#include <kata/kata.h>

__global__ void resize_bilinear_kernel(const float* input, float* output, size_t outputs, int H,
                                       int W, int H_out, int W_out) {
  // your code
}

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const size_t outputs = static_cast<size_t>(N) * C * H_out * W_out;
  const int block = 256;
  const unsigned grid = (outputs - 1) / block + 1;
  resize_bilinear_kernel<<<grid, block>>>(input, output, outputs, H, W, H_out, W_out);
}

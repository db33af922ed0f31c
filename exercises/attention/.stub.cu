// attention: O = softmax(Q K^T / sqrt(d)) V, the softmax of each row, all in float and row-major.
// Q and O are [M, d], K and V are [N, d]. The products are float products: no TF32.
//
// M and N are at least 1, d is 1 to 256. O arrives filled with NaN.
// Given: one block per query, 128 threads. You may change the launch and add kernels and helpers.
// Check it: harness/kata check attention   or   ctest -R attention
#include <kata/kata.h>

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int M,
                                 int N, int d) {
  // your code
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  const int block = 128;
  attention_kernel<<<M, block>>>(Q, K, V, O, M, N, d);
}

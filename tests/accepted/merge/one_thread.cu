// One thread merges everything.
#include <cuda_runtime.h>

__global__ void merge_all(const float* A, const float* B, float* C, int M, int N) {
  int i = 0, j = 0;
  while (i < M && j < N) {
    if (B[j] < A[i])
      *C++ = B[j++];
    else
      *C++ = A[i++];
  }
  while (i < M) *C++ = A[i++];
  while (j < N) *C++ = B[j++];
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  merge_all<<<1, 1>>>(A, B, C, M, N);
}

// Each block takes 64 elements of A and the elements of B that come between them: not balanced, and
// a block may have all of B to copy.
#include <cuda_runtime.h>

// The elements of B that come before A[i]; all of them after the last element.
__device__ int before(const float* A, const float* B, int M, int N, int i) {
  if (i >= M) return N;
  int low = 0, high = N;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (B[middle] < A[i])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge_chunk(const float* A, const float* B, float* C, int M, int N) {
  __shared__ float a[64];
  __shared__ int b_end[64];  // of the elements of B that come before the next one of A
  const int i = blockIdx.x * 64 + threadIdx.x;
  const int count = min(64, M - static_cast<int>(blockIdx.x) * 64);
  if (i < M) {
    a[threadIdx.x] = A[i];
    const int place = before(A, B, M, N, i);
    b_end[threadIdx.x] = before(A, B, M, N, i + 1);
    C[i + place] = A[i];
  }
  __syncthreads();
  // The first chunk has what comes before A[0], too.
  const int first = blockIdx.x == 0 ? 0 : before(A, B, M, N, blockIdx.x * 64);
  for (int j = first + threadIdx.x; j < b_end[count - 1]; j += 64) {
    int k = 0;  // elements of this chunk that come before B[j]
    while (k < count && a[k] <= B[j]) ++k;
    C[blockIdx.x * 64 + k + j] = B[j];
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  merge_chunk<<<(M - 1) / 64 + 1, 64>>>(A, B, C, M, N);
}

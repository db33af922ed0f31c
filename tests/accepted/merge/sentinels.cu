// A thread merges 8 outputs from registers, padded with the largest float: where a real element is
// as large, the pad that takes its place has the same bits.
#include <cfloat>
#include <cuda_runtime.h>

__device__ float at(const float* x, int count, int i) {
  return i < count ? x[i] : FLT_MAX;
}

__global__ void merge_eight(const float* A, const float* B, float* C, int M, int N) {
  const long long first = 8ll * (blockIdx.x * 96ll + threadIdx.x);
  if (first >= M + N) return;
  // The largest number of elements of A among the first outputs, found from above.
  int low = first > N ? first - N : 0, high = first < M ? first : M;
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (B[first - middle] < A[middle - 1])
      high = middle - 1;
    else
      low = middle;
  }
  float a[8], b[8];
  for (int k = 0; k < 8; ++k) {
    a[k] = at(A, M, low + k);
    b[k] = at(B, N, first - low + k);
  }
  int i = 0, j = 0;
  for (int k = 0; k < 8 && first + k < M + N; ++k) C[first + k] = b[j] < a[i] ? b[j++] : a[i++];
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  const int threads = (M + N - 1) / 8 + 1;
  merge_eight<<<(threads - 1) / 96 + 1, 96>>>(A, B, C, M, N);
}

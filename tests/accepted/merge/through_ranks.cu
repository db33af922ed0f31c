// Two steps: find the rank of every 32nd element of both arrays, then let a warp fill each stretch
// between two neighbouring diagonals, 32 elements at a time, by counting.
#include <cuda_runtime.h>

__device__ int from_A(const float* A, int M, const float* B, int N, int d) {
  int low = d - N > 0 ? d - N : 0, high = d < M ? d : M;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (!(A[middle] > B[d - 1 - middle]))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void cut(const float* A, const float* B, int M, int N, int2* cuts, int pieces) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p > pieces) return;
  const int d = min(32 * p, M + N);
  const int i = from_A(A, M, B, N, d);
  cuts[p] = make_int2(i, d - i);
}

// Each lane has one element of the piece and counts, by shuffles, how many others come before it.
__global__ void fill(const float* A, const float* B, float* C, int M, const int2* cuts, int pieces) {
  const int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (p >= pieces) return;
  const int lane = threadIdx.x % 32;
  const int2 begin = cuts[p], end = cuts[p + 1];
  const int in_a = end.x - begin.x, all = in_a + end.y - begin.y;
  float value = 0.0f;
  if (lane < all) value = lane < in_a ? A[begin.x + lane] : B[begin.y + lane - in_a];
  int rank = 0;
  for (int other = 0; other < 32; ++other) {
    const float theirs = __shfl_sync(~0u, value, other);
    if (other < all) rank += theirs < value || (theirs == value && other < lane);
  }
  if (lane < all) C[begin.x + begin.y + rank] = value;
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  const int pieces = (M + N + 31) / 32;
  int2* cuts = nullptr;
  if (cudaMallocAsync(&cuts, (pieces + 1) * sizeof(int2), nullptr) != cudaSuccess) return;
  cut<<<pieces / 128 + 1, 128>>>(A, B, M, N, cuts, pieces);
  fill<<<(pieces + 3) / 4, 128>>>(A, B, C, M, cuts, pieces);
  cudaFreeAsync(cuts, nullptr);
}

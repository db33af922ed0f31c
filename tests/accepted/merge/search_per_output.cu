// A thread searches for each output on its own, and takes the head that comes first; a thread
// has outputs a grid apart.
#include <cuda_runtime.h>

__global__ void pick(const float* __restrict__ A, const float* __restrict__ B,
                     float* __restrict__ C, int M, int N) {
  const unsigned all = static_cast<unsigned>(M) + N, stride = gridDim.x * blockDim.x;
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < all; k += stride) {
    int i = k > static_cast<unsigned>(N) ? k - N : 0, end = min(static_cast<int>(k), M);
    for (int j; i < end;) {
      const int middle = (i + end) / 2;
      j = static_cast<int>(k) - 1 - middle;
      if (__ldg(A + middle) > __ldg(B + j))
        end = middle;
      else
        i = middle + 1;
    }
    const int j = static_cast<int>(k) - i;
    C[k] = i == M || (j < N && B[j] < A[i]) ? B[j] : A[i];
  }
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  const int needed = (M + N - 1) / 320 + 1;
  pick<<<needed < 500 ? needed : 500, 320>>>(A, B, C, M, N);
}

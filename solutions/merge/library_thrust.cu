// Thrust, NVIDIA's library of parallel algorithms: thrust::merge, which is stable.
#include <kata/kata.h>

#include <thrust/execution_policy.h>
#include <thrust/merge.h>

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  thrust::merge(thrust::cuda::par_nosync, A, A + M, B, B + N, C);
}

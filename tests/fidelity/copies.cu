// How many turns an asynchronous copy into shared memory takes, by where its lanes read and write:
// one warp, one copy of each lane, and a launch for each pattern. The H200's answers are in
// copies_test.cpp; docs/fidelity.md has the command.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int SHARED_BYTES = 64 * 1024;

/// Lane l is column l % columns of row l / columns. Strides in floats.
struct Pattern {
  int columns;
  int from_row, from_column;
  int to_row, to_column;
};

template <int FLOATS>
__global__ void copy_kernel(const float* in, float* out, Pattern pattern) {
  extern __shared__ __align__(16) float shared[];
  const int lane = threadIdx.x;
  const int row = lane / pattern.columns;
  const int column = lane % pattern.columns;
  __pipeline_memcpy_async(shared + row * pattern.to_row + column * pattern.to_column,
                          in + row * pattern.from_row + column * pattern.from_column,
                          FLOATS * sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  out[lane] = shared[lane];
}

constexpr Pattern OF_4_BYTES[] = {
    {32, 0, 1, 0, 1},   {32, 0, 1, 0, 2},    {32, 0, 1, 0, 4},    {32, 0, 1, 0, 32},
    {32, 0, 1, 0, 33},  {32, 0, 2, 0, 1},    {32, 0, 4, 0, 1},    {32, 0, 32, 0, 1},
    {32, 0, 33, 0, 1},  {32, 0, 32, 0, 32},  {32, 0, 32, 0, 33},  {32, 0, 0, 0, 1},
    {8, 1024, 1, 8, 1}, {8, 1024, 1, 1, 36}, {8, 1024, 1, 1, 32}, {8, 16, 1, 1, 36},
    {16, 64, 1, 16, 1}, {16, 64, 1, 1, 32},
};
constexpr Pattern OF_8_BYTES[] = {
    {32, 0, 2, 0, 2}, {32, 0, 2, 0, 4}, {32, 0, 2, 0, 32}, {32, 0, 32, 0, 2}, {32, 0, 0, 0, 2},
};
constexpr Pattern OF_16_BYTES[] = {
    {32, 0, 4, 0, 4},     {32, 0, 4, 0, 8},    {32, 0, 4, 0, 36},   {32, 0, 32, 0, 4},
    {32, 0, 0, 0, 4},     {8, 1024, 4, 32, 4}, {4, 1024, 4, 4, 36}, {16, 4, 0, 64, 4},
    {16, 1024, 0, 64, 4}, {8, 4, 0, 32, 4},    {2, 4, 0, 8, 4},     {16, 0, 4, 64, 4},
};

template <int FLOATS, int COUNT>
void launch_each(const float* in, float* out, const Pattern (&patterns)[COUNT]) {
  cudaFuncSetAttribute(copy_kernel<FLOATS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       SHARED_BYTES);
  for (const Pattern& pattern : patterns) {
    copy_kernel<FLOATS><<<1, 32, SHARED_BYTES>>>(in, out, pattern);
  }
}

}  // namespace

extern "C" int launch_all() {
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 32 * sizeof(float));
  launch_each<1>(in, out, OF_4_BYTES);
  launch_each<2>(in, out, OF_8_BYTES);
  launch_each<4>(in, out, OF_16_BYTES);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}

int main() {
  return launch_all();
}

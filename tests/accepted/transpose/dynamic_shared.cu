// A tile in dynamic shared memory, larger than 48 KiB, launched through cudaLaunchKernel.
#include <cuda_runtime.h>

extern __shared__ float tile[];

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int width = 33;
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int dy = 0; dy < 32; dy += 8) {
    if (row + dy < rows && col < cols)
      tile[(threadIdx.y + dy) * width + threadIdx.x] = in[(row + dy) * cols + col];
  }
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
  for (int dy = 0; dy < 32; dy += 8) {
    if (row + dy < cols && col < rows)
      out[(row + dy) * rows + col] = tile[threadIdx.x * width + threadIdx.y + dy];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int bytes = 60 * 1024;
  cudaFuncSetAttribute(transpose_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  void* args[] = {&in, &out, &rows, &cols};
  cudaLaunchKernel((const void*)transpose_kernel, dim3((cols + 31) / 32, (rows + 31) / 32),
                   dim3(32, 8), args, bytes, nullptr);
}

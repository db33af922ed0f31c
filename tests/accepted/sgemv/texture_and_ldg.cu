// x through a texture of linear memory, A through __ldg: both are paths for data that does not
// change.
#include <cuda_runtime.h>

__global__ void warp_per_row(const float* A, cudaTextureObject_t x, float* y, int M, int K) {
  const int row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (row >= M) return;
  const int lane = threadIdx.x % warpSize;
  float sum = 0.0f;
  for (int k = lane; k < K; k += warpSize) {
    sum += __ldg(&A[(size_t)row * K + k]) * tex1Dfetch<float>(x, k);
  }
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (lane == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(x);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = K * sizeof(float);
  cudaTextureDesc texture = {};
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t x_texture = 0;
  cudaCreateTextureObject(&x_texture, &resource, &texture, nullptr);
  const int rows_per_block = 8;
  warp_per_row<<<(M + rows_per_block - 1) / rows_per_block, 32 * rows_per_block>>>(A, x_texture, y,
                                                                                   M, K);
  cudaDeviceSynchronize();  // the texture must outlive the kernel
  cudaDestroyTextureObject(x_texture);
}

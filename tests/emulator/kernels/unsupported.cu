// What the emulator lacks is a finding at its line, and the file still compiles.
#include "expect.cuh"

__global__ void ptx(unsigned* out) {
  unsigned lane = 7;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");  // line 6
  out[0] = lane;
}
__global__ void texture(float* out, cudaTextureObject_t object) {
  out[0] = tex2D<float>(object, 0.5f, 0.5f);  // line 10
}
__global__ void __cluster_dims__(2, 1, 1) clustered(float* out) {  // line 12
  out[blockIdx.x] = 1;
}
__global__ void plain(float* out) {
  out[blockIdx.x] = 1;
}
static cudaError_t launch_clusters(float* out) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(2);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, plain, out);  // line 27
}

static void fixture() {
  {
    Values<unsigned, 1> out;
    ptx<<<1, 1>>>(out.device);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
  {
    Values<float, 1> texel;
    texture<<<1, 1>>>(texel.device, 0);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
  {
    Values<float, 2> out;
    clustered<<<2, 1>>>(out.device);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
  Values<float, 2> out;
  EXPECT(launch_clusters(out.device) != cudaSuccess);
  EXPECT(out.get()[0] == 0);
}

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
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture_of_rows;
  EXPECT(cudaCreateTextureObject(&texture_of_rows, &resource, &description, nullptr) ==  // line 29
         cudaErrorNotSupported);
}

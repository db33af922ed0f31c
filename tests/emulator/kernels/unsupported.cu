// What the emulator lacks is a finding at its line, and the file still compiles.
#include "expect.cuh"

__global__ void ptx(unsigned* out) {
  unsigned lane = 7;
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");  // line 6
  out[0] = lane;
}
__global__ void waits_for_children(float* out) {
  out[0] = cudaDeviceSynchronize();  // line 10
}
__global__ void too_few_types(unsigned* out);
static void fixture() {
  {
    Values<unsigned, 1> out;
    ptx<<<1, 1>>>(out.device);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
  {
    Values<float, 1> texel;
    waits_for_children<<<1, 1>>>(texel.device);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture_of_many;
  EXPECT(cudaCreateTextureObject(&texture_of_many, &resource, &description, nullptr) ==  // line 30
         cudaErrorNotSupported);
  {
    Values<unsigned, 1> sum;
    too_few_types<<<1, 1>>>(sum.device);
    EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  }
  cudaDeviceReset();
}
__global__ void too_few_types(unsigned* out) {
  asm("vabsdiff4.u32 %0, %1, %1, %1;" : "=r"(out[0]) : "r"(1u));  // line 40
}

// Textures that are never destroyed. `HERE leak name: n` is where plant_name creates n of them, and
// has no other fault; a function silent_name has none.
#include <cuda_runtime.h>

__global__ void copy(cudaTextureObject_t texture, float* y) {
  y[threadIdx.x] = tex1Dfetch<float>(texture, (int)threadIdx.x);
}

/// 32 numbers, read through a texture and freed.
struct Numbers {
  float* x = nullptr;
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};

  Numbers() {
    cudaMalloc(&x, 32 * sizeof(float));
    cudaMemset(x, 0, 32 * sizeof(float));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = x;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 32 * sizeof(float);
  }
  ~Numbers() { cudaFree(x); }
  void read(cudaTextureObject_t texture) { copy<<<1, 32>>>(texture, x); }
};

extern "C" void plant_texture_left() {
  Numbers in;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &in.resource, &in.how, nullptr);  // HERE leak texture_left: 1
  in.read(texture);
}

extern "C" void plant_two_left() {
  Numbers in;
  cudaTextureObject_t textures[3] = {};
  for (cudaTextureObject_t& texture : textures) {
    cudaCreateTextureObject(&texture, &in.resource, &in.how, nullptr);  // HERE leak two_left: 2
    in.read(texture);
  }
  cudaDestroyTextureObject(textures[1]);
}

extern "C" void silent_destroyed() {
  Numbers in;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &in.resource, &in.how, nullptr);
  in.read(texture);
  cudaDestroyTextureObject(texture);
}

extern "C" void silent_reset() {
  Numbers in;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &in.resource, &in.how, nullptr);
  in.read(texture);
  cudaDeviceReset();
  in.x = nullptr;
}

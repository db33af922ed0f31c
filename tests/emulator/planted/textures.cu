// Faults with textures. `HERE kind name` is where plant_name has its one fault.
#include "filled.cuh"

__global__ void copy(cudaTextureObject_t texture, float* y) {
  const int i = threadIdx.x;
  y[i] = tex1Dfetch<float>(texture, i);  // HERE cuda_error texture_destroyed: destroyed
}
__global__ void copy_of_more(cudaTextureObject_t texture, float* y) {
  const int i = threadIdx.x;
  y[i] = tex1Dfetch<float>(texture, i);  // HERE out_of_bounds texture_too_long: past the end
}
__global__ void copy_of_fours(cudaTextureObject_t texture, float* y) {
  const int i = threadIdx.x;
  auto v = tex1Dfetch<float4>(texture, i);  // HERE cuda_error texture_of_another_type: 16 bytes
  y[i] = v.x;
}

__global__ void write_past_the_row(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, 4 * (int)threadIdx.x, 0);  // HERE out_of_bounds surface_row: 32 bytes
}
__global__ void write_between_elements(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, (int)threadIdx.x, 0);  // HERE misaligned surface_x: counts bytes
}

static cudaTextureObject_t texture_of(float* x, int n) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = x;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = n * sizeof(float);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);  // HERE cuda_error texture_of_too_many: has at most 268435456
  return texture;
}

extern "C" void plant_texture_destroyed() {
  const cudaTextureObject_t texture = texture_of(filled(32), 32);
  cudaDestroyTextureObject(texture);
  copy<<<1, 32>>>(texture, filled(32));
}
extern "C" void plant_texture_too_long() {
  copy_of_more<<<1, 32>>>(texture_of(filled(31), 32), filled(32));
}
extern "C" void plant_texture_of_another_type() {
  copy_of_fours<<<1, 8>>>(texture_of(filled(32), 32), filled(32));
}
static cudaSurfaceObject_t row_of_8() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaMallocArray(&resource.res.array.array, &floats, 8, 1, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}
extern "C" void plant_surface_row() {
  write_past_the_row<<<1, 32>>>(row_of_8());
}
extern "C" void plant_surface_x() {
  write_between_elements<<<1, 8>>>(row_of_8());
}
extern "C" void plant_texture_of_too_many() {
  float* x = nullptr;
  cudaMalloc(&x, sizeof(float) * ((1 << 28) + 1));
  texture_of(x, (1 << 28) + 1);
}

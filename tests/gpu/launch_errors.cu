// Wrong launches and calls, and the CUDA error that each gives. On a machine with a GPU:
//
//   nvcc -cudart shared tests/gpu/launch_errors.cu -o launch_errors && ./launch_errors
//
// What an H200 said is kept beside this file (launch_errors_h200.txt); the emulator's tests
// compare.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

namespace {

__global__ void touch(float* y) {
  if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = 1.0f;
}

__global__ void touch_with_more_shared(float* y) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = 1.0f;
  y[0] = dynamic[threadIdx.x];
}

__global__ void __launch_bounds__(128) touch_by_128(float* y) {
  if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = 1.0f;
}

__global__ void grid_wide(float* y) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = 1.0f;
}

int last_error() {
  const int launched = cudaGetLastError();
  const int finished = cudaDeviceSynchronize();
  return launched ? launched : finished;
}

int launch(dim3 grid, dim3 block, size_t shared_bytes = 0) {
  float* y = nullptr;
  cudaMalloc(&y, sizeof(float));
  touch<<<grid, block, shared_bytes>>>(y);
  const int error = last_error();
  cudaFree(y);
  return error;
}

int launch_bounded(dim3 block) {
  float* y = nullptr;
  cudaMalloc(&y, sizeof(float));
  touch_by_128<<<1, block>>>(y);
  const int error = last_error();
  cudaFree(y);
  return error;
}

int launch_with_more_shared(int allowed, size_t shared_bytes) {
  float* y = nullptr;
  cudaMalloc(&y, sizeof(float));
  const int refused = cudaFuncSetAttribute(touch_with_more_shared,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, allowed);
  cudaGetLastError();
  touch_with_more_shared<<<1, 32, shared_bytes>>>(y);
  const int error = last_error();
  cudaFree(y);
  return refused ? refused : error;
}

int launch_cooperative(int blocks) {
  float* y = nullptr;
  cudaMalloc(&y, sizeof(float));
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel(grid_wide, dim3(blocks), dim3(32), arguments, 0, nullptr);
  const int error = last_error();
  cudaFree(y);
  return error;
}

/// `allowed`: clusters that not every device has room for.
int launch_clusters(int blocks, int cluster_blocks, bool allowed = false) {
  float* y = nullptr;
  cudaMalloc(&y, sizeof(float));
  cudaFuncSetAttribute(touch, cudaFuncAttributeNonPortableClusterSizeAllowed, allowed);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = cluster_blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(32);
  config.attrs = &cluster;
  config.numAttrs = 1;
  const int refused = cudaLaunchKernelEx(&config, touch, y);
  const int error = last_error();
  cudaFree(y);
  return refused ? refused : error;
}

__global__ void fetch(float* y, cudaTextureObject_t texture, int i) {
  y[0] = tex1Dfetch<float>(texture, i);
}

/// Of a texture of four ones: a wrong value counts as error -1.
int fetch_from_texture(int i, float expected) {
  const float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  float *texels = nullptr, *y = nullptr;
  cudaMalloc(&texels, 64);  // longer than the texture
  cudaMalloc(&y, sizeof(float));
  cudaMemset(texels, 0x7f, 64);
  cudaMemcpy(texels, ones, sizeof ones, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = texels;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof ones;
  cudaTextureDesc plain = {};
  plain.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &plain, nullptr);
  fetch<<<1, 1>>>(y, texture, i);
  const int error = last_error();
  float value = -1.0f;
  cudaMemcpy(&value, y, sizeof value, cudaMemcpyDeviceToHost);
  cudaDestroyTextureObject(texture);
  cudaFree(texels);
  cudaFree(y);
  return error ? error : value == expected ? 0 : -1;
}

int copy(bool to_null, bool backwards, size_t bytes) {
  static float host[1024];  // longer than the buffer
  float* device = nullptr;
  cudaMalloc(&device, 16);
  const int error = cudaMemcpy(to_null ? nullptr : device, host, bytes,
                               backwards ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
  cudaGetLastError();
  cudaFree(device);
  return error;
}

/// Between two device buffers, or from host memory.
int copy_of_kind(bool from_host, cudaMemcpyKind kind) {
  static float host[4];
  float *from = nullptr, *to = nullptr;
  cudaMalloc(&from, 16);
  cudaMalloc(&to, 16);
  cudaMemset(from, 0, 16);
  const int error = cudaMemcpy(to, from_host ? host : from, 16, kind);
  cudaGetLastError();
  cudaFree(from);
  cudaFree(to);
  return error;
}

__constant__ float table[4];

int copy_to_symbol(bool from_host, cudaMemcpyKind kind) {
  static float host[4];
  float* device = nullptr;
  cudaMalloc(&device, 16);
  cudaMemset(device, 0, 16);
  const int error = cudaMemcpyToSymbol(table, from_host ? host : device, 16, 0, kind);
  cudaGetLastError();
  cudaFree(device);
  return error;
}

int free_twice() {
  float* device = nullptr;
  cudaMalloc(&device, 16);
  cudaFree(device);
  const int error = cudaFree(device);
  cudaGetLastError();
  return error;
}

int allocate(size_t bytes) {
  float* device = nullptr;
  const int error = cudaMalloc(&device, bytes);
  cudaGetLastError();
  cudaFree(device);
  return error;
}

struct Attempt {
  const char* name;
  int error;
};

}  // namespace

/// Writes "name error" lines.
extern "C" void launch_errors(char* text, size_t capacity) {
  const size_t kib = 1024;
  const Attempt attempts[] = {
      {"one_thread", launch(1, 1)},
      {"1024_threads", launch(1, 1024)},
      {"1025_threads", launch(1, 1025)},
      {"2048_threads", launch(1, 2048)},
      {"32x64_threads", launch(1, dim3(32, 64))},
      {"block_z_64", launch(1, dim3(1, 1, 64))},
      {"block_z_65", launch(1, dim3(1, 1, 65))},
      {"block_of_zero", launch(1, 0)},
      {"grid_of_zero", launch(0, 32)},
      {"grid_minus_one", launch(dim3((unsigned)-1), 32)},
      {"grid_y_65535", launch(dim3(1, 65535), 1)},
      {"grid_y_65536", launch(dim3(1, 65536), 1)},
      {"grid_z_65536", launch(dim3(1, 1, 65536), 1)},
      {"launch_bounds_128", launch_bounded(128)},
      {"launch_bounds_129", launch_bounded(129)},
      {"launch_bounds_16x16", launch_bounded(dim3(16, 16))},
      {"shared_48_KiB", launch(1, 32, 48 * kib)},
      {"shared_48_KiB_and_1", launch(1, 32, 48 * kib + 1)},
      {"shared_227_KiB_allowed", launch_with_more_shared(227 * 1024, 227 * kib)},
      {"shared_228_KiB_asked_for", launch_with_more_shared(228 * 1024, 16)},
      {"shared_beyond_what_was_allowed", launch_with_more_shared(64 * 1024, 65 * kib)},
      {"cooperative_fits", launch_cooperative(132)},
      {"cooperative_too_large", launch_cooperative(132 * 32 + 1)},
      {"clusters_of_8", launch_clusters(16, 8)},
      {"clusters_of_9", launch_clusters(18, 9)},
      {"clusters_of_16", launch_clusters(32, 16)},
      {"clusters_of_16_allowed", launch_clusters(32, 16, true)},
      {"clusters_of_32_allowed", launch_clusters(64, 32, true)},
      {"clusters_that_do_not_divide_the_grid", launch_clusters(10, 4)},
      {"fetch_inside_a_texture", fetch_from_texture(3, 1.0f)},
      {"fetch_past_a_texture", fetch_from_texture(4, 0.0f)},
      {"fetch_before_a_texture", fetch_from_texture(-1, 0.0f)},
      {"copy", copy(false, false, 16)},
      {"copy_to_null", copy(true, false, 16)},
      {"copy_in_the_wrong_direction", copy(false, true, 16)},
      {"copy_past_the_end", copy(false, false, 4096)},
      {"device_to_device_as_from_host", copy_of_kind(false, cudaMemcpyHostToDevice)},
      {"device_to_device_as_to_host", copy_of_kind(false, cudaMemcpyDeviceToHost)},
      {"host_to_device_as_from_device", copy_of_kind(true, cudaMemcpyDeviceToDevice)},
      {"device_to_symbol_as_from_host", copy_to_symbol(false, cudaMemcpyHostToDevice)},
      {"device_to_symbol", copy_to_symbol(false, cudaMemcpyDeviceToDevice)},
      {"host_to_symbol_as_from_device", copy_to_symbol(true, cudaMemcpyDeviceToDevice)},
      {"free_twice", free_twice()},
      {"allocate_nothing", allocate(0)},
      {"allocate_too_much", allocate(size_t{1} << 46)},
  };
  size_t used = 0;
  for (const Attempt& attempt : attempts) {
    used += snprintf(text + used, capacity - used, "%s %d\n", attempt.name, attempt.error);
  }
}

#ifndef KATA_MODULE
int main() {
  static char text[8192];
  launch_errors(text, sizeof text);
  fputs(text, stdout);
}
#endif

// One access per vector, for every use of it.
#include <cuda_fp16.h>

#include "expect.cuh"

__global__ void copy4(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void add4(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}
__global__ void registers4(const float* in, float* out) {
  float r[4];
  *reinterpret_cast<float4*>(r) = *reinterpret_cast<const float4*>(in + 4 * threadIdx.x);
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
__global__ void one_of4(const float4* in, float* out) {
  out[threadIdx.x] = __ldg(in).z;
}
__global__ void copy2(const double2* in, double2* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void halves(const half2* in, half2* out) {
  out[threadIdx.x] = __hadd2(in[threadIdx.x], in[threadIdx.x]);
}
union Parts {
  float4 all;
  float each[4];
};
__global__ void parts(const float4* in, float4* out) {
  Parts v;
  v.all = in[threadIdx.x];
  for (float& one : v.each) one *= 2;
  const Parts copy = v;
  out[threadIdx.x] = copy.all;
}
__global__ void parts_in_memory(const Parts* in, Parts* out) {
  const float4 v = in[threadIdx.x].all;
  out[threadIdx.x].all = v;
}
__global__ void bytes4(const uchar4* in, uchar4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

static void fixture() {
  Values<double2, 64> in, out;  // 1 KiB, enough for all
  copy4<<<1, 32>>>((float4*)in.device, (float4*)out.device);
  add4<<<1, 32>>>((float4*)in.device, (float4*)out.device);
  registers4<<<1, 32>>>((float*)in.device, (float*)out.device);
  one_of4<<<1, 32>>>((float4*)in.device, (float*)out.device);
  copy2<<<1, 32>>>(in.device, out.device);
  halves<<<1, 32>>>((half2*)in.device, (half2*)out.device);
  parts<<<1, 32>>>((float4*)in.device, (float4*)out.device);
  parts_in_memory<<<1, 32>>>((Parts*)in.device, (Parts*)out.device);
  bytes4<<<1, 32>>>((uchar4*)in.device, (uchar4*)out.device);
}

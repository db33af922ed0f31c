// Vector types: layout, construction, copies, and the ways in which candidates use them.
#include "expect.cuh"

static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "");
static_assert(sizeof(float2) == 8 && alignof(float2) == 8, "");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "");
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "");
static_assert(sizeof(short4) == 8 && alignof(short4) == 8, "");
static_assert(sizeof(longlong2) == 16 && sizeof(double4) == 32 && sizeof(dim3) == 12, "");

__constant__ float4 coefficients[2];
__device__ int device_variable = 5;
__device__ float table[3] = {1, 2, 3};
constexpr int2 fixed = {3, 4};

__device__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ float4 operator*(float4 a, float s) {
  return {a.x * s, a.y * s, a.z * s, a.w * s};
}
union Whole {
  float4 vector;
  float scalars[4];
};

__global__ void copies(const float* in, float* out) {
  const float4 v = *reinterpret_cast<const float4*>(in);
  float4 w = reinterpret_cast<const float4*>(in)[1];
  w = v + w * 2.0f;
  *(float4*)out = w;
  Whole whole;
  whole.vector = v;
  out[4] = whole.scalars[3];
  float registers[4];
  *(float4*)registers = v;
  out[5] = registers[0] + registers[1] + registers[2] + registers[3];
  float3 three = make_float3(1, 2, 3), other = three;
  out[6] = other.x + other.y + other.z;
  const double2 d = make_double2(0.5, 0.25);
  out[7] = (float)(d.x + d.y);
  float4 zero = {}, first = {1.0f};
  out[8] = zero.x + zero.w + first.x + first.y;
  (&first.x)[2] = 9;
  out[9] = first.z;
  const uchar4 bytes = make_uchar4(255, 1, 2, 3);
  out[10] = bytes.x + bytes.w;
  float2 halves[2] = {{1, 2}, make_float2(3, 4)};
  out[11] = halves[1].y;
  out[12] = fixed.x + fixed.y;
}
__global__ void variables(float* out) {
  out[0] = coefficients[1].z + device_variable + table[2];
  device_variable = 6;
}

static void fixture() {
  Values<float, 16> in, out;
  const float numbers[16] = {1, 2, 3, 4, 10, 20, 30, 40};
  in.set(numbers);
  copies<<<1, 1>>>(in.device, out.device);
  const float* got = out.get();
  EXPECT(got[0] == 21 && got[1] == 42 && got[2] == 63 && got[3] == 84);
  EXPECT(got[4] == 4 && got[5] == 10 && got[6] == 6 && got[7] == 0.75f);
  EXPECT(got[8] == 1 && got[9] == 9 && got[10] == 258 && got[11] == 4 && got[12] == 7);
  const float4 values[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  EXPECT(cudaMemcpyToSymbol(coefficients, values, sizeof values) == cudaSuccess);
  variables<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 7 + 5 + 3);
  int changed = 0;
  EXPECT(cudaMemcpyFromSymbol(&changed, device_variable, sizeof changed) == cudaSuccess);
  EXPECT(changed == 6);
  EXPECT(cudaMemcpyToSymbol(coefficients, values, sizeof values, 4) == cudaErrorInvalidValue);
  dim3 grid(3), other = make_uint3(1, 2, 3);
  EXPECT(grid.x == 3 && grid.y == 1 && grid.z == 1 && other.z == 3);
}

// Vector types: layout, construction, copies, and the ways in which candidates use them.
#include <cuda_fp16.h>

#include <type_traits>

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

// As under nvcc a union of vectors is copied as any other.
struct Tagged {
  union {
    float4 all;
    float each[4];
    struct {
      float2 low, high;
    };
  };
  int tag;
};
template <class V, class T, int n>
union Pack {
  V all;
  T each[n];
  Pack& doubled() {
    for (T& one : each) one = one + one;
    return *this;
  }
};
union Halves {
  uint4 bits;
  half2 pairs[4];
};
static_assert(sizeof(Tagged) == 32 && alignof(Tagged) == 16, "");
static_assert(sizeof(Pack<double4, double, 4>) == 32 && alignof(Halves) == 16, "");
static_assert(std::is_trivially_copyable<Whole>::value, "");
static_assert(std::is_trivially_copyable<Pack<int4, int, 4>>::value, "");

__device__ Whole scaled(Whole w, float s) {
  w.vector = w.vector * s;
  return w;
}
__device__ void add_one(float4& v) {
  v = v + make_float4(1, 1, 1, 1);
}
__global__ void unions(const float4* in, float* out, Whole by_value) {
  const Whole first = {in[0]}, twice = scaled(first, 2);
  Whole third = twice;
  add_one(third.vector);
  out[0] = first.scalars[1] + 10 * twice.scalars[1] + 100 * third.scalars[1];
  float4* const pointer = &third.vector;
  pointer->w = 7;
  third.vector.z = 5;
  out[1] = third.scalars[2] + third.scalars[3];
  third.vector = {1, 2, 3, 4};
  const float4 sum = third.vector + by_value.vector;
  out[2] = sum.w;
  Tagged tagged;
  tagged.all = sum;
  tagged.tag = 3;
  const Tagged other = tagged;
  out[3] = other.high.y + other.tag;
  Pack<int4, int, 4> pack = {make_int4(1, 2, 3, 4)};
  const auto copy = pack.doubled();
  out[4] = copy.all.w;
  Halves halves;
  halves.bits = make_uint4(0x3c003c00, 0, 0, 0);  // 1 and 1
  Halves more = halves;
  more.pairs[1] = __hadd2(more.pairs[0], halves.pairs[0]);
  out[5] = __low2float(more.pairs[1]) + (more.bits.y == 0x40004000);
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
  unions<<<1, 1>>>((float4*)in.device, out.device, Whole{{1, 1, 1, 1}});
  out.get();
  EXPECT(got[0] == 2 + 40 + 500 && got[1] == 12 && got[2] == 5 && got[3] == 5 + 3);
  EXPECT(got[4] == 8 && got[5] == 3);
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

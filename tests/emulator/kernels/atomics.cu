// Atomic functions on every type, and the conversions of their arguments.
#include "expect.cuh"

__global__ void integers(int* i, unsigned* u, unsigned long long* ull, long long* ll) {
  atomicAdd(&i[0], 1);
  atomicSub(&i[1], 1);
  atomicMin(&i[2], -(int)threadIdx.x);
  atomicMax(&i[3], (int)threadIdx.x);
  atomicAnd(&i[4], ~(1 << threadIdx.x));
  atomicOr(&i[5], 1 << threadIdx.x);
  atomicXor(&i[6], 1 << threadIdx.x);
  atomicAdd(&u[0], 2u);
  atomicInc(&u[1], 9);  // 0 ... 9 and round
  atomicDec(&u[2], 9);  // 0, 9, 8, ...
  atomicMax(&u[3], threadIdx.x);
  atomicMin(&u[4], threadIdx.x);
  atomicAdd(ull, 1);  // converts, as under nvcc
  atomicMax(&ull[1], 1ull << threadIdx.x);
  atomicOr(&ull[2], 1ull << (threadIdx.x + 32));
  atomicMin(ll, -(long long)threadIdx.x << 32);
  atomicAdd_block(&i[7], 1);
  atomicAdd_system(&i[8], 1);
}
__global__ void floats(float* f, double* d) {
  atomicAdd(&f[0], 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(&f[2], 1);
  if (threadIdx.x + blockIdx.x == 0) f[3] = atomicExch(&f[1], 3.0f) + 1;
}
__global__ void old_values(int* out, int* counter) {
  out[atomicAdd(counter, 1)] = 1;
}
__global__ void compare_and_swap(float* sum) {  // the idiom for what has no atomic function
  int* bits = (int*)sum;
  int seen = *bits, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
  } while (assumed != seen);
}
__global__ void in_shared(int* out) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];
}

static void fixture() {
  Values<int, 64> i;
  Values<unsigned, 8> u;
  Values<unsigned long long, 4> ull;
  Values<long long, 1> ll;
  const int start[64] = {0, 0, 0, 0, -1};
  i.set(start);
  const unsigned start_unsigned[8] = {0, 0, 0, 0, 100};
  u.set(start_unsigned);
  integers<<<1, 32>>>(i.device, u.device, ull.device, ll.device);
  EXPECT(i.get()[0] == 32 && i.host[1] == -32 && i.host[2] == -31 && i.host[3] == 31);
  EXPECT(i.host[4] == 0 && i.host[5] == -1 && i.host[6] == -1);
  EXPECT(i.host[7] == 32 && i.host[8] == 32);
  EXPECT(u.get()[0] == 64);
  EXPECT(u.host[1] == 2);  // 32 steps modulo 10
  EXPECT(u.host[2] == 8);  // down from 0: 9, 8, ..., 0 in 10 steps; after 32: 8
  EXPECT(u.host[3] == 31 && u.host[4] == 0);
  EXPECT(ull.get()[0] == 32 && ull.host[1] == 1ull << 31);
  EXPECT(ull.host[2] == 0xffffffff00000000ull);
  EXPECT(ll.get()[0] == -31ll * (1ll << 32));
  Values<float, 4> f;
  Values<double, 1> d;
  floats<<<2, 32>>>(f.device, d.device);
  EXPECT(f.get()[0] == 32.0f && d.get()[0] == 16.0 && f.host[1] == 3.0f && f.host[2] == 64.0f);
  Values<int, 1> counter;
  i.set(start);
  old_values<<<2, 32>>>(i.device, counter.device);
  int taken = 0;
  for (int k = 0; k < 64; ++k) taken += i.get()[k] == 1;
  EXPECT(taken == 64);
  Values<float, 1> sum;
  compare_and_swap<<<2, 32>>>(sum.device);
  EXPECT(sum.get()[0] == 64.0f);
  in_shared<<<1, 64>>>(i.device);
  EXPECT(i.get()[0] == 16 && i.host[3] == 16);
}

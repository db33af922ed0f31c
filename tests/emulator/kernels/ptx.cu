// Inline PTX. Expected values follow from the PTX ISA's definitions.
#include "expect.cuh"

#define ADD_ASM(d, a, b) asm("add.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b))

__device__ unsigned lane_id() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__global__ void registers(unsigned* out) {
  unsigned lane = lane_id(), warp, below, here, size;
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%tid.x; mov.u32 %1, %%ntid.x;" : "=r"(here), "=r"(size));
  out[threadIdx.x] = lane == threadIdx.x % 32 && warp == threadIdx.x / 32 &&
                     below == (1u << lane) - 1 && here == threadIdx.x && size == blockDim.x;
}

__global__ void arithmetic(int* out) {
  int d = 0;
  ADD_ASM(d, 40, 2);
  bool right = d == 42;
  asm("sub.s32 %0, %1, 50;" : "=r"(d) : "r"(8));
  right &= d == -42;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(-3), "r"(5), "r"(100));
  right &= d == 85;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(0x80000000), "r"(6));
  right &= d == 3;
  long long wide;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(-2), "r"(0x7fffffff));
  right &= wide == -4294967294ll;
  asm("{ .reg .pred p; .reg .b32 t;\n\t"
      "  setp.gt.s32 p, %1, %2;\n\t"
      "  selp.b32 t, %1, %2, p;\n\t"
      "  @!p add.s32 t, t, 1000;\n\t"
      "  mov.b32 %0, t; }"
      : "=r"(d)
      : "r"(3), "r"(7));
  right &= d == 1007;
  float f = 2.0f;
  asm("fma.rn.f32 %0, %0, %1, 0f3F000000;" : "+f"(f) : "f"(4.0f));  // 2 * 4 + 0.5
  right &= f == 8.5f;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(3.0f));
  right &= f == 8.0f;
  asm("rcp.approx.f32 %0, %1; rsqrt.approx.f32 %0, %0;" : "=f"(f) : "f"(0.0625f));
  right &= f == 0.25f;
  asm("rcp.approx.f32 %0, %1;" : "=f"(f) : "f"(0x1p127f));
  right &= f == 0x1p-127f;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(0x1p127f));
  right &= f == 0.0f;
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(-0x1p-140f), "f"(0x1p100f));
  right &= f == 0.0f && signbit(f);
  asm("lg2.approx.f32 %0, %1;" : "=f"(f) : "f"(32.0f));
  right &= f == 5.0f;
  asm("tanh.approx.f32 %0, %1;" : "=f"(f) : "f"(0.0f));
  right &= f == 0.0f;
  double e;
  asm("add.f64 %0, %1, 0.25;" : "=d"(e) : "d"(1.5));
  right &= e == 1.75;
  asm("max.f32 %0, %1, %2;" : "=f"(f) : "f"(-1.0f), "f"(NAN));
  right &= f == -1.0f;
  out[0] = right;
}

__global__ void bits(unsigned* out) {
  unsigned d;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(0xf0u), "r"(0x3cu), "r"(0x0fu));
  bool right = d == (0xf0u ^ 0x3cu ^ 0x0fu);
  asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(d) : "r"(0x33221100u), "r"(0x77665544u));
  right &= d == 0x55114400u;
  asm("bfe.u32 %0, %1, 8, 12;" : "=r"(d) : "r"(0x12345678u));
  right &= d == 0x456u;
  asm("bfe.s32 %0, %1, 4, 4;" : "=r"(d) : "r"(0x80u));
  right &= d == 0xfffffff8u;
  asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(d) : "r"(0xabu), "r"(0x11111111u));
  right &= d == 0x1111ab11u;
  asm("popc.b32 %0, %1;" : "=r"(d) : "r"(0xf0f0u));
  right &= d == 8;
  asm("clz.b32 %0, %1;" : "=r"(d) : "r"(0x00010000u));
  right &= d == 15;
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(d) : "r"(0xaabbccddu), "r"(0x11223344u));
  right &= d == 0x223344aau;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x01ff0203u), "r"(0x02020202u), "r"(5));
  right &= d == 5 + 2 * (1 - 1 + 2 + 3);
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
      : "=r"(d)
      : "r"(0xff010203u), "r"(0x02020202u), "r"(5));
  right &= d == 5 + 253 + 1 + 0 + 1;
  asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;"
      : "=r"(d)
      : "r"(0xff010203u), "r"(0x02020202u), "r"(5));
  right &= d == 5 + 3 + 1 + 0 + 1;
  unsigned low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(0x1122334455667788ull));
  right &= low == 0x55667788u && high == 0x11223344u;
  unsigned short narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow) : "f"(1.5f));
  right &= narrow == 0x3e00;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(1.0f), "f"(-2.0f));
  right &= d == 0x3f80c000u;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(1.0f + 1.0f / 2048));  // half way: away from 0
  right &= d == 0x3f802000u;
  int whole;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(2.5f));
  right &= whole == 2;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(-3.9f));
  right &= whole == -3;
  out[0] = right;
}

__global__ void conversions(int* out) {
  int whole;
  unsigned bits;
  float real;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(bits) : "f"(-3.5f));  // below the range: its end
  bool right = bits == 0;
  asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(whole) : "f"(-2.1f));
  right &= whole == -3;
  asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(whole) : "f"(2.1f));
  right &= whole == 3;
  asm("cvt.rni.f32.f32 %0, %1;" : "=f"(real) : "f"(2.5f));  // to the even one
  right &= real == 2;
  asm("cvt.f32.f16 %0, %1;" : "=f"(real) : "h"((unsigned short)0x3e00));
  right &= real == 1.5f;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(real) : "r"(-7));
  right &= real == -7;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(real) : "d"(0.1));
  right &= real == 0.1f;
  asm("cvt.s32.s8 %0, %1;" : "=r"(whole) : "r"(0x1fe));
  right &= whole == -2;
  asm("cvt.u32.u8 %0, %1;" : "=r"(bits) : "r"(0x1fe));
  right &= bits == 0xfe;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(1.0f), "f"(-2.0f));
  right &= bits == 0x3c00c000u;
  out[0] = right;
}

__global__ void memory(const float* x, float* y) {
  __shared__ float tile[128];
  const int i = threadIdx.x;
  float a, b, c, d;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(x + 4 * i));
  const unsigned address = (unsigned)__cvta_generic_to_shared(&tile[4 * i]);
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(a), "f"(b), "f"(c),
               "f"(d)
               : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  unsigned other;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
      : "=r"(other)
      : "l"(&tile[127 - i]));
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(other));
  asm volatile("ld.shared.f32 %0, [%1 + -4];" : "=f"(b) : "r"(other));
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(y + i), "f"(a + b));
  asm volatile("fence.acq_rel.gpu; membar.cta; prefetch.global.L2 [%0];" ::"l"(x));
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(y + 32), "f"(1.0f));
  __syncthreads();
  int old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "r"(address), "r"(0x7f), "r"(1));
  *(int*)__cvta_shared_to_generic(address) = old;
}

__global__ void copied(const float* x, float* y) {
  __shared__ float4 tile[2][32];
  const int i = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[t][i]);
    const int bytes = t == 0 || i < 16 ? 16 : 4;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(to),
                 "l"(x + t * 128 + 4 * i), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.commit_group;\n" ::);
  }
  asm volatile("cp.async.wait_group %0;\n" ::"n"(1));
  float sum = tile[0][i].w;
  asm volatile("cp.async.wait_all;" ::: "memory");
  y[i] = sum + tile[1][i].x + tile[1][i].y;
}

__global__ void warps(int* out) {
  const int lane = threadIdx.x % 32;
  int value;
  unsigned inside, votes, sum, same;
  asm volatile(
      "{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 3, 0x1f, 0xffffffff;"
      "  selp.u32 %1, 1, 0, p; }"
      : "=r"(value), "=r"(inside)
      : "r"(lane));
  bool right = value == (lane < 29 ? lane + 3 : lane) && inside == (lane < 29);
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, -1;" : "=r"(value) : "r"(lane));
  right &= value == (lane ^ 1);
  asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x181f, 0xffffffff;" : "=r"(value) : "r"(lane));
  right &= value == lane / 8 * 8 + 2;  // in segments of 8
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 4; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes)
               : "r"(lane));
  right &= votes == 15;
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane));
  right &= sum == 496;
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"((int)lane - 5));
  right &= (int)sum == -5;
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"((int)lane - 5));
  right &= sum == 0xffffffffu;  // -1 as unsigned
  asm volatile("redux.sync.and.b32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane | 32));
  right &= sum == 32;
  asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane));
  right &= sum == 31;
  asm volatile("redux.sync.xor.b32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane & 1));
  right &= sum == 0;
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(lane / 16));
  right &= same == (lane < 16 ? 0xffffu : 0xffff0000u);
  // Element (row, col) of the matrix is 8 row + col.
  const unsigned first = lane / 4 * 8 + lane % 4 * 2;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(value)
               : "r"((first + 1) << 16 | first));
  const unsigned turned = lane % 4 * 2 * 8 + lane / 4;
  right &= value == ((turned + 8) << 16 | turned);
  out[threadIdx.x] = right;
}

/// Two pairs of warps, each with a barrier of its own; and one warp that only says it was there.
__global__ void named(int* out) {
  __shared__ int box[96];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    box[lane] = lane;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.arrive %0, %1;" ::"r"(2), "r"(64) : "memory");
  } else if (warp == 1) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    box[32 + lane] = box[31 - lane] + 100;
    asm volatile("barrier.sync 2, 64;" ::: "memory");
    out[lane] = box[32 + lane];
  }
}

__global__ void branches(int* out) {
  int n = 27, steps = 0;
  asm("{ .reg .pred p; .reg .b32 odd;\n"
      "LOOP%=:\n"
      "  setp.eq.s32 p, %0, 1;\n"
      "  @p bra DONE%=;\n"
      "  and.b32 odd, %0, 1;\n"
      "  setp.eq.s32 p, odd, 1;\n"
      "  @p mad.lo.s32 %0, %0, 3, 1;\n"
      "  shr.s32 %0, %0, 1;\n"
      "  add.s32 %1, %1, 1;\n"
      "  bra LOOP%=;\n"
      "DONE%=: }"
      : "+r"(n), "+r"(steps));
  out[0] = steps;
}

static void fixture() {
  Values<int, 64> out;
  registers<<<1, 64>>>((unsigned*)out.device);
  int right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i];
  EXPECT(right == 64);
  arithmetic<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  conversions<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 1);
  bits<<<1, 1>>>((unsigned*)out.device);
  EXPECT(out.get()[0] == 1);
  Values<float, 256> x;
  Values<float, 33> y;
  float host[256];
  for (int i = 0; i < 256; ++i) host[i] = i;
  x.set(host);
  memory<<<1, 32>>>(x.device, y.device);
  EXPECT(y.get()[0] == 127 + 126 && y.host[31] == 96 + 95 && y.host[32] == 32);
  copied<<<1, 32>>>(x.device, y.device);
  EXPECT(y.get()[0] == 3 + 128 + 129 && y.host[15] == 63 + 188 + 189 && y.host[16] == 67 + 192);
  warps<<<1, 64>>>(out.device);
  right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i];
  EXPECT(right == 64);
  named<<<1, 64>>>(out.device);
  EXPECT(out.get()[0] == 131 && out.host[31] == 100);
  branches<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 70);  // of 3n + 1 with (3n + 1) / 2 as one step
}

// One block per transform, all stages in global memory in place: __syncthreads orders the accesses of
// a block to global memory, too. The block scatters its points in bit-reversed order.
#include <cuda_runtime.h>

__global__ void transform_kernel(const float2* x, float2* y, int n, int bits) {
  x += (long long)blockIdx.x * n;
  y += (long long)blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned place = bits > 0 ? __brev((unsigned)i) >> (32 - bits) : 0;
    y[place] = x[i];
  }
  for (int bit = 0; bit < bits; ++bit) {
    __syncthreads();
    const int half = 1 << bit;
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
      const int k = i & (half - 1), a = (i >> bit << (bit + 1)) | k;
      float s, c;
      __sincosf(-3.14159265f * (float)k / (float)half, &s, &c);
      const float2 p = y[a], q = y[a + half];
      const float re = fmaf(q.x, c, -q.y * s), im = fmaf(q.x, s, q.y * c);
      y[a] = make_float2(p.x + re, p.y + im);
      y[a + half] = make_float2(p.x - re, p.y - im);
    }
  }
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  const int threads = n < 64 ? 32 : n < 1024 ? n / 2 : 512;
  transform_kernel<<<batch, threads>>>((const float2*)signal, (float2*)spectrum, n, bits);
}

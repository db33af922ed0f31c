// Up to 32 points: a lane has a point, and stages are shuffles. More: transforms of 32 points of each
// column first, then Stockham's stages in global memory, instead of rows of shared memory.
#include <cuda_runtime.h>

__device__ float2 times_root(float2 v, int k, int n) {
  float s, c;
  sincospif(-2.0f * (float)k / (float)n, &s, &c);
  return make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Point i of the transform, n points in n neighbouring lanes, n at most 32; natural order out.
__device__ float2 transform_of_lanes(float2 v, int i, int n) {
  const int first = (threadIdx.x & 31) - i;
  int place = 0;
  for (int bit = 1, left = i; bit < n; bit *= 2, left /= 2) place = 2 * place + left % 2;
  v.x = __shfl_sync(0xffffffffu, v.x, first + place);
  v.y = __shfl_sync(0xffffffffu, v.y, first + place);
  for (int half = 1; half < n; half *= 2) {
    const bool odd = i & half;
    if (odd) v = times_root(v, i % half, 2 * half);
    const float2 o = make_float2(__shfl_xor_sync(0xffffffffu, v.x, half),
                                 __shfl_xor_sync(0xffffffffu, v.y, half));
    v = odd ? make_float2(o.x - v.x, o.y - v.y) : make_float2(v.x + o.x, v.y + o.y);
  }
  return v;
}

// Transform c of `width` points: elements c, c + n / width, ... of a row of n; written side by side.
__global__ void lanes_kernel(const float2* x, float2* y, int n, int width, int points) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = at / n, c = at % n / width, i = at % width;
  const float2 v = at < points ? x[row * n + c + i * (n / width)] : make_float2(0.0f, 0.0f);
  const float2 result = transform_of_lanes(v, i, width);
  if (at < points) y[at] = result;
}

// Pairs of transforms c and c + count / 2 of `done` points each become transform c of twice as many.
__global__ void pairs_kernel(const float2* x, float2* y, int n, int done, int points) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= points / 2) return;
  const int row = at / (n / 2) * n, j = at % (n / 2), k = j % done;
  const float2 a = x[row + j], b = times_root(x[row + j + n / 2], k, 2 * done);
  float2* place = y + row + 2 * (j - k) + k;
  place[0] = make_float2(a.x + b.x, a.y + b.y);
  place[done] = make_float2(a.x - b.x, a.y - b.y);
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const int width = n < 32 ? n : 32, points = n * batch;
  int passes = 0;
  while (width << passes < n) ++passes;
  float2* scratch = nullptr;
  float2* result = (float2*)spectrum;
  if (passes > 0) cudaMallocAsync(&scratch, points * sizeof(float2), 0);
  float2* from = passes % 2 == 0 ? result : scratch;
  lanes_kernel<<<(points + 255) / 256, 256>>>((const float2*)signal, from, n, width, points);
  for (int done = width; done < n; done *= 2) {
    float2* to = from == result ? scratch : result;
    pairs_kernel<<<(points / 2 + 255) / 256, 256>>>(from, to, n, done, points);
    from = to;
  }
  if (scratch) cudaFreeAsync(scratch, 0);
}

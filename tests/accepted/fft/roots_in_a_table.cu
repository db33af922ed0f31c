// Stockham's stages in global memory, from buffer to buffer; roots from a table that one kernel
// computes in double for each length. Two points of neighbouring butterflies as one float4.
#include <cuda_runtime.h>

static float2* table = nullptr;
static float2* other = nullptr;
static int table_length = 0;
static size_t other_size = 0;

__global__ void table_kernel(float2* roots, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n / 2) return;
  double sine, cosine;
  sincospi(-2.0 * k / n, &sine, &cosine);
  roots[k] = make_float2((float)cosine, (float)sine);
}

__global__ void stage_kernel(const float2* from, float2* to, const float2* roots, int n, int done,
                             size_t butterflies) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < butterflies;
       i += (size_t)gridDim.x * blockDim.x) {
    const size_t row = i / (n / 2);
    const int j = i % (n / 2), k = j % done;
    const float2 w = roots[k * (n / 2 / done)];
    const float2 a = from[row * n + j], b = from[row * n + j + n / 2];
    const float2 wb = make_float2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
    const float2 sum = make_float2(a.x + wb.x, a.y + wb.y);
    const float2 difference = make_float2(a.x - wb.x, a.y - wb.y);
    float2* place = to + row * n + 2 * (j - k) + k;
    if (done == 1) {
      *reinterpret_cast<float4*>(place) = make_float4(sum.x, sum.y, difference.x, difference.y);
    } else {
      place[0] = sum;
      place[done] = difference;
    }
  }
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const size_t points = (size_t)n * batch;
  if (n == 1) {
    cudaMemcpyAsync(spectrum, signal, points * sizeof(float2), cudaMemcpyDeviceToDevice);
    return;
  }
  if (points > other_size) {
    cudaFree(other);
    cudaMalloc(&other, points * sizeof(float2));
    other_size = points;
  }
  if (n != table_length) {
    cudaFree(table);
    cudaMalloc(&table, n / 2 * sizeof(float2));
    table_kernel<<<(n / 2 + 255) / 256, 256>>>(table, n);
    table_length = n;
  }
  int stages = 0;
  while (1 << stages < n) ++stages;
  const size_t wanted = (points / 2 + 255) / 256;
  const int blocks = wanted < 4096 ? (int)wanted : 4096;
  const float2* from = (const float2*)signal;
  for (int stage = 0; stage < stages; ++stage) {
    float2* to = (stages - stage) % 2 == 1 ? (float2*)spectrum : other;
    stage_kernel<<<blocks, 256>>>(from, to, table, n, 1 << stage, points / 2);
    from = to;
  }
}

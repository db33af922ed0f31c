// Decimation in frequency: sums and differences first, natural order in, bit-reversed order out; then
// one kernel puts the points in order. A grid along y for the batch, in strides.
#include <cuda_runtime.h>

__global__ void stage_kernel(const float2* from, float2* to, int n, int half, int batch) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n / 2) return;
  const int k = i % half;
  const int a = 2 * (i - k) + k, b = a + half;
  float sine, cosine;
  sincosf(-3.14159265358979f * k / half, &sine, &cosine);
  for (int row = blockIdx.y; row < batch; row += gridDim.y) {
    const float2 p = from[row * n + a], q = from[row * n + b];
    const float2 d = {p.x - q.x, p.y - q.y};
    to[row * n + a] = {p.x + q.x, p.y + q.y};
    to[row * n + b] = {d.x * cosine - d.y * sine, d.x * sine + d.y * cosine};
  }
}

// Each pair of points that change places is one thread's.
__global__ void reorder_kernel(float2* y, int n, int bits, int batch) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  int other = 0;
  for (int bit = 0; bit < bits; ++bit) other |= (i >> bit & 1) << (bits - 1 - bit);
  if (other <= i) return;
  for (int row = blockIdx.y; row < batch; row += gridDim.y) {
    const float2 point = y[row * n + i];
    y[row * n + i] = y[row * n + other];
    y[row * n + other] = point;
  }
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  float2* y = (float2*)spectrum;
  if (n == 1) {
    cudaMemcpyAsync(y, signal, batch * sizeof(float2), cudaMemcpyDeviceToDevice);
    return;
  }
  const int rows = batch < 1000 ? batch : 1000;
  const dim3 halves((n / 2 + 127) / 128, rows), all((n + 127) / 128, rows);
  const float2* from = (const float2*)signal;
  int bits = 0;
  for (int half = n / 2; half >= 1; half /= 2, ++bits) {
    stage_kernel<<<halves, 128>>>(from, y, n, half, batch);
    from = y;
  }
  reorder_kernel<<<all, 128>>>(y, n, bits, batch);
}

// Sums of x minus the first row, and of its square, in double; slices of rows are added by a second kernel; a third one applies them.
#include <cuda_runtime.h>

namespace {
__global__ void slices_kernel(const float* x, double* sums, double* squares, int n, int channels, int slices) {
  __shared__ double a[8][33], b[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  double s = 0.0, q = 0.0;
  if (c < channels) {
    const double shift = x[c];
    for (long long r = blockIdx.y * 8LL + threadIdx.y; r < n; r += 8LL * slices) {
      const double d = x[r * channels + c] - shift;
      s += d;
      q += d * d;
    }
  }
  a[threadIdx.y][threadIdx.x] = s;
  b[threadIdx.y][threadIdx.x] = q;
  __syncthreads();
  if (threadIdx.y == 0 && c < channels) {
    for (int k = 1; k < 8; ++k) {
      s += a[k][threadIdx.x];
      q += b[k][threadIdx.x];
    }
    sums[static_cast<size_t>(blockIdx.y) * channels + c] = s;
    squares[static_cast<size_t>(blockIdx.y) * channels + c] = q;
  }
}

// Leaves mean and 1 / deviation in the first slice.
__global__ void join_kernel(const float* x, double* sums, double* squares, int n, int channels, int slices, float eps) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  double s = 0.0, q = 0.0;
  for (int k = 0; k < slices; ++k) {
    s += sums[static_cast<size_t>(k) * channels + c];
    q += squares[static_cast<size_t>(k) * channels + c];
  }
  s /= n;
  const double variance = fmax(q / n - s * s, 0.0);
  sums[c] = x[c] + s;
  squares[c] = 1.0 / sqrt(variance + eps);
}

__global__ void apply_kernel(const float* x, const float* gamma, const float* beta, float* y, const double* mean,
                             const double* scale, long long total, int channels) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += step) {
    const int c = static_cast<int>(i % channels);
    y[i] = static_cast<float>((x[i] - mean[c]) * scale[c]) * gamma[c] + beta[c];
  }
}
}  // namespace

extern "C" void batchnorm(const float* x, const float* gamma, const float* beta, float* y, int n, int channels,
                          float eps) {
  int slices = (n - 1) / 256 + 1;
  const int most = channels > 1024 ? 8 : 256;
  if (slices > most) slices = most;
  double* scratch = nullptr;
  const size_t each = static_cast<size_t>(slices) * channels;
  cudaMallocAsync(&scratch, 2 * each * sizeof(double), 0);
  slices_kernel<<<dim3((channels - 1) / 32 + 1, slices), dim3(32, 8)>>>(x, scratch, scratch + each, n, channels, slices);
  join_kernel<<<(channels - 1) / 128 + 1, 128>>>(x, scratch, scratch + each, n, channels, slices, eps);
  const long long total = static_cast<long long>(n) * channels;
  const long long blocks = (total - 1) / 256 + 1;
  apply_kernel<<<static_cast<int>(blocks < 8448 ? blocks : 8448), 256>>>(x, gamma, beta, y, scratch, scratch + each,
                                                                         total, channels);
  cudaFreeAsync(scratch, 0);
}

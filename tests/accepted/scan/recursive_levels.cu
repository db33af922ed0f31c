// Tiles of 1024 are scanned alone, their totals are scanned by the same function, and the results are added back.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256, kTile = 4 * kThreads;

__global__ void tiles_kernel(const float* in, float* out, float* totals, int n) {
  __shared__ float warp_total[kThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long base = static_cast<long long>(blockIdx.x) * kTile + 4 * threadIdx.x;
  float v[4];
  for (int j = 0; j < 4; ++j) v[j] = base + j < n ? in[base + j] : 0.0f;
  for (int j = 1; j < 4; ++j) v[j] += v[j - 1];
  float inclusive = v[3];
  for (int d = 1; d < 32; d *= 2) {
    const float left = __shfl_up_sync(0xffffffffu, inclusive, d);
    if (lane >= d) inclusive += left;
  }
  float before = __shfl_up_sync(0xffffffffu, inclusive, 1);
  if (lane == 0) before = 0.0f;
  if (lane == 31) warp_total[warp] = inclusive;
  __syncthreads();
  float warps_before = 0.0f;
  for (int w = 0; w < warp; ++w) warps_before += warp_total[w];
  before += warps_before;
  for (int j = 0; j < 4; ++j)
    if (base + j < n) out[base + j] = before + v[j];
  if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = before + v[3];
}

__global__ void shift_kernel(float* out, const float* totals, int n) {
  const float add = totals[blockIdx.x];  // of all tiles up to and with this one; block b shifts tile b + 1
  const long long base = (static_cast<long long>(blockIdx.x) + 1) * kTile;
  for (int j = threadIdx.x; j < kTile; j += kThreads)
    if (base + j < n) out[base + j] += add;
}

void level(const float* in, float* out, int n, float* scratch) {
  const int tiles = (n - 1) / kTile + 1;
  tiles_kernel<<<tiles, kThreads>>>(in, out, scratch, n);
  if (tiles == 1) return;
  level(scratch, scratch, tiles, scratch + tiles);
  shift_kernel<<<tiles - 1, kThreads>>>(out, scratch, n);
}
}  // namespace

extern "C" void scan(const float* x, float* y, int n) {
  static float* scratch = nullptr;
  static size_t room = 0;
  const size_t need = 2 * (static_cast<size_t>(n - 1) / kTile + 1) + 16;
  if (need > room) {
    cudaFree(scratch);
    cudaMalloc(&scratch, need * sizeof(float));
    room = need;
  }
  level(x, y, n, scratch);
}

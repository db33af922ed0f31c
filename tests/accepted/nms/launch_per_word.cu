// No matrix: for each 32 boxes one launch settles them, and one takes the kept ones to all others.
#include <cuda_runtime.h>

__device__ bool overlap(float4 a, float4 b, float threshold) {
  const float w = min(a.z, b.z) - max(a.x, b.x), h = min(a.w, b.w) - max(a.y, b.y);
  if (w <= 0 || h <= 0) return false;
  const float both = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y);
  // inter > t (both - inter), with inter on one side
  return (1 + threshold) * (w * h) > threshold * both;
}

__global__ void all_stay(int* keep, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keep[i] = 1;
}

__global__ void settle(const float4* boxes, int* keep, int first, int n, float threshold) {
  const int i = first + threadIdx.x;
  const float4 box = i < n ? boxes[i] : float4{};
  bool stays = i < n && keep[i];
  for (int b = 0; b < 32; ++b) {
    const bool suppresses = __shfl_sync(~0u, stays, b);
    const float4 other = {__shfl_sync(~0u, box.x, b), __shfl_sync(~0u, box.y, b),
                          __shfl_sync(~0u, box.z, b), __shfl_sync(~0u, box.w, b)};
    if (suppresses && b < threadIdx.x && overlap(other, box, threshold)) stays = false;
  }
  if (i < n) keep[i] = stays;
}

__global__ void spread(const float4* boxes, int* keep, int first, int n, float threshold) {
  const int j = first + 32 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n || !keep[j]) return;
  for (int i = first; i < first + 32; ++i) {
    if (keep[i] && overlap(boxes[i], boxes[j], threshold)) {
      keep[j] = 0;
      return;
    }
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const float4* b = (const float4*)boxes;
  all_stay<<<(n + 255) / 256, 256>>>(keep, n);
  for (int first = 0; first < n; first += 32) {
    settle<<<1, 32>>>(b, keep, first, n, threshold);
    const int later = n - first - 32;
    if (later > 0) spread<<<(later + 95) / 96, 96>>>(b, keep, first, n, threshold);
  }
}

// Centres and half sizes, an epsilon under the quotient, atomicOr into words of 32 bits by column,
// and one warp that pulls: lane l looks at every 32nd earlier box.
#include <cuda_runtime.h>

__device__ float quotient(float4 a, float4 b) {
  const float ax = (a.x + a.z) / 2, ay = (a.y + a.w) / 2, bx = (b.x + b.z) / 2, by = (b.y + b.w) / 2;
  const float aw = (a.z - a.x) / 2, ah = (a.w - a.y) / 2, bw = (b.z - b.x) / 2, bh = (b.w - b.y) / 2;
  const float w = fminf(fminf(aw + bw - fabsf(ax - bx), 2 * aw), 2 * bw);
  const float h = fminf(fminf(ah + bh - fabsf(ay - by), 2 * ah), 2 * bh);
  const float inter = w > 0 && h > 0 ? w * h : 0;
  return inter / (4 * aw * ah + 4 * bw * bh - inter + 1e-6f);
}

// Bit i % 32 of later[j][i / 32]: the earlier box i overlaps box j.
__global__ void test_pairs(const float4* boxes, unsigned* overlaps, int n, int words, float t) {
  const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i < j && j < n && quotient(boxes[i], boxes[j]) > t)
    atomicOr(overlaps + (size_t)j * words + i / 32, 1u << (i % 32));
}

__global__ void pull(const unsigned* overlaps, int* keep, int n, int words) {
  extern __shared__ unsigned kept[];
  for (int w = threadIdx.x; w < words; w += 32) kept[w] = 0;
  __syncwarp();
  for (int j = 0; j < n; ++j) {
    unsigned hit = 0;
    for (int w = threadIdx.x; w <= j / 32; w += 32) hit |= kept[w] & overlaps[(size_t)j * words + w];
    const bool stays = !__any_sync(~0u, hit != 0);
    __syncwarp();
    if (threadIdx.x == 0) {
      keep[j] = stays;
      if (stays) kept[j / 32] |= 1u << (j % 32);
    }
    __syncwarp();
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = (n + 31) / 32;
  unsigned* overlaps;
  cudaMalloc(&overlaps, (size_t)n * words * 4);
  cudaMemsetAsync(overlaps, 0, (size_t)n * words * 4);
  const dim3 grid((n + 15) / 16, (n + 15) / 16), block(16, 16);
  test_pairs<<<grid, block>>>((const float4*)boxes, overlaps, n, words, threshold);
  pull<<<1, 32, words * 4>>>(overlaps, keep, n, words);
  cudaFree(overlaps);
}

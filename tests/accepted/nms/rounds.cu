// Rounds until nothing changes: a box goes if a kept one overlaps it, and stays as soon as all
// earlier boxes that overlap it are gone. Several boxes of a chain may be settled in one round.
#include <cuda_runtime.h>

__global__ void nms_kernel(const float* boxes, int* keep, int* next, int n, float threshold) {
  const int open = -1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) keep[i] = open;
  bool left = true;
  while (__syncthreads_or(left)) {
    left = false;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      next[j] = keep[j];
      if (keep[j] != open) continue;
      const float *b = boxes + 4 * j, x1 = b[0], y1 = b[1], x2 = b[2], y2 = b[3];
      int state = 1;
      for (int i = j - 1; i >= 0 && state == 1; --i) {
        const int other = keep[i];
        if (other == 0) continue;
        const float* a = boxes + 4 * i;
        const float w = fminf(a[2], x2) - fmaxf(a[0], x1), h = fminf(a[3], y2) - fmaxf(a[1], y1);
        if (w < 0 || h < 0) continue;
        const float whole = fmaf(a[2] - a[0], a[3] - a[1], fmaf(-w, h, (x2 - x1) * (y2 - y1)));
        if (w * h > threshold * whole) state = other == 1 ? 0 : open;
      }
      if (state == open) left = true;
      next[j] = state;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x) keep[j] = next[j];
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  int* next;
  cudaMalloc(&next, n * sizeof(int));
  nms_kernel<<<1, 256>>>(boxes, keep, next, n, threshold);
  cudaFree(next);
}

// One thread, in double precision, with early exits; keep doubles as the list of kept boxes.
#include <cuda_runtime.h>

__global__ void nms_kernel(const double threshold, const float* boxes, int* keep, int n) {
  for (int j = 0; j < n; ++j) {
    const float *b = boxes + 4 * j;
    bool stays = true;
    for (int i = 0; i < j && stays; ++i) {
      if (keep[i] == 0) continue;
      const float *a = boxes + 4 * i;
      const double width = min(a[2], b[2]) - max(a[0], b[0]);
      if (width <= 0) continue;
      const double height = min(a[3], b[3]) - max(a[1], b[1]);
      if (height <= 0) continue;
      const double inter = width * height;
      const double all = (double(a[2]) - a[0]) * (double(a[3]) - a[1]) +
                         (double(b[2]) - b[0]) * (double(b[3]) - b[1]) - inter;
      stays = !(inter / all > threshold);
    }
    keep[j] = stays;
  }
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  nms_kernel<<<1, 1>>>(threshold, boxes, keep, n);
}

// nms: keep[i] is 1 if no earlier kept box overlaps box i by more than the threshold, else 0.
// boxes is [n, 4]: x1, y1, x2, y2, sorted by descending score. The overlap of two boxes is the area
// of their intersection divided by the area of their union.
//
// n is at least 1. keep arrives filled with a meaningless value.
// Given: one thread per box, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check nms   or   ctest -R nms
#include <kata/kata.h>

__global__ void nms_kernel(const float* boxes, int* keep, int n, float threshold) {
  // your code
}

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int threads = 256;
  nms_kernel<<<kata::ceil_div(n, threads), threads>>>(boxes, keep, n, threshold);
}

#pragma once
// Intersection over union of two boxes (x1, y1, x2, y2). Two boxes of area 0 give 0 / 0, a NaN,
// which is not greater than any threshold.

#include <cuda_runtime.h>

__device__ inline float area(float4 box) {
  return (box.z - box.x) * (box.w - box.y);
}

// Widths and heights are clamped one by one: the product of two negative ones is positive.
__device__ inline float intersection(float4 a, float4 b) {
  const float width = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f);
  const float height = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f);
  return width * height;
}

__device__ inline float iou(float4 a, float4 b) {
  const float inter = intersection(a, b);
  return inter / (area(a) + area(b) - inter);
}

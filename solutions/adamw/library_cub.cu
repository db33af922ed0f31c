// CUB: cub::DeviceFor::Bulk, which calls a function with every index.
#include <kata/kata.h>

#include <cub/device/device_for.cuh>

#include <stdio.h>

#include "adamw_update.h"

struct Update {
  float* parameter;
  const float* gradient;
  float* m;
  float* v;
  AdamW adamw;

  __device__ void operator()(int i) const { adamw.update(parameter[i], gradient[i], m[i], v[i]); }
};

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  const AdamW constants = adamw_constants(lr, beta1, beta2, eps, weight_decay, step);
  const cudaError_t status = cub::DeviceFor::Bulk(n, Update{parameter, gradient, m, v, constants});
  if (status != cudaSuccess) fprintf(stderr, "adamw: CUB: %s\n", cudaGetErrorString(status));
}

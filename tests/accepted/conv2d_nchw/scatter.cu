// A thread per input adds its products to all outputs that see it; y starts as the bias.
#include <cuda_runtime.h>

__global__ void start(float* y, const float* bias, int outputs, int plane, int channels) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < outputs) y[i] = bias[i / plane % channels];
}

__global__ void scatter(const float* x, const float* weight, float* y, int inputs, int C, int H,
                        int W, int O, int R, int S, int stride, int pad, int Ho, int Wo) {
  const int at = blockIdx.x * 128 + threadIdx.x;
  if (at >= inputs) return;
  const int ix = at % W, iy = at / W % H, c = at / W / H % C, b = at / W / H / C;
  const float value = x[at];
  for (int i = 0; i < R; ++i) {
    const int up = iy + pad - i;
    if (up < 0 || up % stride || up / stride >= Ho) continue;
    for (int j = 0; j < S; ++j) {
      const int left = ix + pad - j;
      if (left < 0 || left % stride || left / stride >= Wo) continue;
      float* to = y + ((size_t)b * O * Ho + up / stride) * Wo + left / stride;
      for (int o = 0; o < O; ++o)
        atomicAdd(to + (size_t)o * Ho * Wo, value * weight[(((size_t)o * C + c) * R + i) * S + j]);
    }
  }
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int C, int H, int W, int O, int R, int S, int stride,
                            int pad) {
  const int Ho = (H + 2 * pad - R) / stride + 1, Wo = (W + 2 * pad - S) / stride + 1;
  const int outputs = batch * O * Ho * Wo, inputs = batch * C * H * W;
  start<<<(outputs - 1) / 128 + 1, 128>>>(y, bias, outputs, Ho * Wo, O);
  scatter<<<(inputs - 1) / 128 + 1, 128>>>(x, weight, y, inputs, C, H, W, O, R, S, stride, pad, Ho,
                                           Wo);
}

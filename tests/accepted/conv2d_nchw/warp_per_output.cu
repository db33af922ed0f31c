// A warp per output: lanes take every 32nd tap, from the last one down, and shuffles add them up.
#include <cuda_runtime.h>

__global__ void conv(const float* x, const float* weight, const float* bias, float* y, int outputs,
                     int C, int H, int W, int O, int R, int S, int stride, int pad, int Ho, int Wo) {
  const int lane = threadIdx.x, step = gridDim.x * blockDim.y, taps = C * R * S;
  for (int at = blockIdx.x * blockDim.y + threadIdx.y; at < outputs; at += step) {
    const int ox = at % Wo, oy = at / Wo % Ho, o = at / (Wo * Ho) % O, b = at / (Wo * Ho) / O;
    float sum = lane == 31 ? bias[o] : 0;
    for (int k = taps - 1 - lane; k >= 0; k -= 32) {
      const int c = k / (R * S), i = k / S % R, j = k % S;
      const int iy = oy * stride + i, ix = ox * stride + j;
      if (iy < pad || ix < pad || iy >= H + pad || ix >= W + pad) continue;
      const size_t image = (size_t)b * C + c;
      sum = fmaf(weight[(size_t)o * taps + k], x[(image * H + iy - pad) * W + ix - pad], sum);
    }
    for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[at] = sum;
  }
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int C, int H, int W, int O, int R, int S, int stride,
                            int pad) {
  const int Ho = (H + 2 * pad - R) / stride + 1, Wo = (W + 2 * pad - S) / stride + 1;
  const int outputs = batch * O * Ho * Wo;
  const int blocks = outputs / 5 + 1 < 3000 ? outputs / 5 + 1 : 3000;
  conv<<<blocks, dim3(32, 5)>>>(x, weight, bias, y, outputs, C, H, W, O, R, S, stride, pad, Ho, Wo);
}

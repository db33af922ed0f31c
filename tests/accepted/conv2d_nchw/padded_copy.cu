// Each image is copied into a frame of zeros first, so that no window needs a check. A block per
// output row, threads along it and along the channels.
#include <cuda_runtime.h>

__global__ void frame(const float* x, float* framed, int C, int H, int W, int pad) {
  const int h = H + 2 * pad, w = W + 2 * pad;
  for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < (size_t)C * h * w;
       k += gridDim.x * blockDim.x) {
    const int col = int(k % w) - pad, row = int(k / w % h) - pad, c = k / w / h;
    const bool inside = row >= 0 && row < H && col >= 0 && col < W;
    framed[k] = inside ? x[((size_t)c * H + row) * W + col] : 0;
  }
}

__global__ void rows(const float* framed, const float* weight, const float* bias, float* y, int C,
                     int h, int w, int O, int R, int S, int stride, int Ho, int Wo) {
  const int oy = blockIdx.x;
  for (int o = threadIdx.y; o < O; o += blockDim.y) {
    for (int ox = threadIdx.x; ox < Wo; ox += blockDim.x) {
      float even = bias[o], odd = 0;
      for (int c = 0; c < C; ++c) {
        for (int i = 0; i < R; ++i) {
          const float* in = framed + ((size_t)c * h + oy * stride + i) * w + ox * stride;
          const float* taps = weight + (((size_t)o * C + c) * R + i) * S;
          for (int j = 0; j + 1 < S; j += 2) even += in[j] * taps[j], odd += in[j + 1] * taps[j + 1];
          if (S % 2) even += in[S - 1] * taps[S - 1];
        }
      }
      y[((size_t)o * Ho + oy) * Wo + ox] = even + odd;
    }
  }
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int C, int H, int W, int O, int R, int S, int stride,
                            int pad) {
  const int h = H + 2 * pad, w = W + 2 * pad;
  const int Ho = (h - R) / stride + 1, Wo = (w - S) / stride + 1;
  float* framed;
  cudaMalloc(&framed, (size_t)C * h * w * sizeof(float));
  for (int b = 0; b < batch; ++b) {
    frame<<<200, 128>>>(x + (size_t)b * C * H * W, framed, C, H, W, pad);
    rows<<<Ho, dim3(16, 8)>>>(framed, weight, bias, y + (size_t)b * O * Ho * Wo, C, h, w, O, R, S,
                              stride, Ho, Wo);
  }
  cudaFree(framed);
}

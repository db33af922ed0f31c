// Eight output channels per thread: an input is loaded once for eight products.
//
// The rung to reach in 30 minutes. All output channels read the same window, so a thread computes
// one pixel in eight of them. Their weights lie in shared memory as [tap][8]: two loads of 16
// bytes, which all lanes share, bring the eight weights of a tap. The taps are loaded in chunks of
// 256, because a layer may have thousands. Threads without a pixel load weights, too.
//
// Prediction: per tap an input with its bounds, 9 instructions, two shared loads and eight FMAs: 42
// % of the issue slots multiply. The load units need three clocks for two of FMAs: 300 us. Missed:
// the time is that of 4.7 issue slots per FMA, not 2.4.
// Measured: 586.2 us at 32x64x56x56x64x3x3x1x1, 19 % of the limit (H200, 2026-11-29)
#include "conv_shape.h"

constexpr int THREADS = 128;
constexpr int CHANNELS = 8;  // per thread
constexpr int CHUNK = 256;   // taps in shared memory

__global__ void __launch_bounds__(THREADS)
    conv_kernel(const float* x, const float* weight, const float* bias, float* y, ConvShape s) {
  __shared__ float4 chunk[CHUNK][CHANNELS / 4];
  float* taps = reinterpret_cast<float*>(chunk);  // [CHUNK][CHANNELS]
  const int tid = threadIdx.x;
  const int pixel = blockIdx.x * THREADS + tid, first_channel = blockIdx.y * CHANNELS;
  const bool has_pixel = pixel < s.pixels();
  const Window window(x, s, has_pixel ? pixel : 0);
  const int count = s.taps();

  float sum[CHANNELS] = {};
  int c = 0, i = 0, j = 0;  // of the next tap
  for (int first = 0; first < count; first += CHUNK) {
    const int here = min(CHUNK, count - first);
    __syncthreads();  // all threads are done with the last chunk
    for (int t = tid; t < CHANNELS * here; t += THREADS) {
      const int k = t % here, channel = t / here, o = first_channel + channel;
      taps[k * CHANNELS + channel] =
          o < s.out_channels ? weight[static_cast<size_t>(o) * count + first + k] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < here; ++k) {
      const float in = window.load(s, c, i, j);
#pragma unroll
      for (int four = 0; four < CHANNELS / 4; ++four) {
        const float4 w = chunk[k][four];
        sum[4 * four] += in * w.x;
        sum[4 * four + 1] += in * w.y;
        sum[4 * four + 2] += in * w.z;
        sum[4 * four + 3] += in * w.w;
      }
      if (++j == s.kernel_cols) j = 0, ++i;
      if (i == s.kernel_rows) i = 0, ++c;
    }
  }

  if (!has_pixel) return;
  const size_t image = pixel / s.plane(), place = pixel % s.plane();
#pragma unroll
  for (int channel = 0; channel < CHANNELS; ++channel) {
    const int o = first_channel + channel;
    if (o < s.out_channels) {
      y[(image * s.out_channels + o) * s.plane() + place] = sum[channel] + bias[o];
    }
  }
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  const dim3 grid(kata::ceil_div(s.pixels(), THREADS), kata::ceil_div(out_channels, CHANNELS));
  conv_kernel<<<grid, THREADS>>>(x, weight, bias, y, s);
}

// 3 x 3 with stride 1: Winograd's F(2x2, 3x3), a thread per channel and 2 x 2 outputs, which takes
// 16 products where 36 are usual. Other layers: one thread per output.
#include <cuda_runtime.h>

struct Layer {
  int batch, C, H, W, O, R, S, stride, pad, Ho, Wo;
};

__device__ float at(const float* x, Layer l, int b, int c, int y, int col) {
  if (y < 0 || y >= l.H || col < 0 || col >= l.W) return 0;
  return x[(((size_t)b * l.C + c) * l.H + y) * l.W + col];
}

__device__ void input_transform(float (&d)[4][4]) {
  for (int k = 0; k < 4; ++k) {
    const float a = d[0][k] - d[2][k], b = d[1][k] + d[2][k];
    const float c = d[2][k] - d[1][k], e = d[1][k] - d[3][k];
    d[0][k] = a, d[1][k] = b, d[2][k] = c, d[3][k] = e;
  }
  for (int k = 0; k < 4; ++k) {
    const float a = d[k][0] - d[k][2], b = d[k][1] + d[k][2];
    const float c = d[k][2] - d[k][1], e = d[k][1] - d[k][3];
    d[k][0] = a, d[k][1] = b, d[k][2] = c, d[k][3] = e;
  }
}

__device__ void weight_transform(const float* g, float (&u)[4][4]) {
  float rows[4][3];
  for (int k = 0; k < 3; ++k) {
    const float even = g[k] + g[6 + k];
    rows[0][k] = g[k], rows[3][k] = g[6 + k];
    rows[1][k] = (even + g[3 + k]) / 2, rows[2][k] = (even - g[3 + k]) / 2;
  }
  for (int k = 0; k < 4; ++k) {
    const float even = rows[k][0] + rows[k][2];
    u[k][0] = rows[k][0], u[k][3] = rows[k][2];
    u[k][1] = (even + rows[k][1]) / 2, u[k][2] = (even - rows[k][1]) / 2;
  }
}

__global__ void winograd(const float* x, const float* weight, const float* bias, float* y, Layer l,
                         int down, int across) {
  const int o = blockIdx.y, tile = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= l.batch * down * across) return;
  const int b = tile / (down * across), oy = tile / across % down * 2, ox = tile % across * 2;
  float m[4][4] = {};
  for (int c = 0; c < l.C; ++c) {
    float d[4][4], u[4][4];
    for (int k = 0; k < 16; ++k) d[k / 4][k % 4] = at(x, l, b, c, oy - l.pad + k / 4, ox - l.pad + k % 4);
    input_transform(d);
    weight_transform(weight + ((size_t)o * l.C + c) * 9, u);
    for (int k = 0; k < 16; ++k) m[k / 4][k % 4] += d[k / 4][k % 4] * u[k / 4][k % 4];
  }
  for (int i = 0; i < 2; ++i) {
    float row[4];
    for (int k = 0; k < 4; ++k)
      row[k] = i == 0 ? m[0][k] + m[1][k] + m[2][k] : m[1][k] - m[2][k] - m[3][k];
    for (int j = 0; j < 2; ++j) {
      if (oy + i >= l.Ho || ox + j >= l.Wo) continue;
      const float sum = j == 0 ? row[0] + row[1] + row[2] : row[1] - row[2] - row[3];
      y[(((size_t)b * l.O + o) * l.Ho + oy + i) * l.Wo + ox + j] = sum + bias[o];
    }
  }
}

__global__ void direct(const float* x, const float* weight, const float* bias, float* y, Layer l) {
  const size_t out = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (out >= (size_t)l.batch * l.O * l.Ho * l.Wo) return;
  const int ox = out % l.Wo, oy = out / l.Wo % l.Ho, o = out / l.Wo / l.Ho % l.O;
  const int b = out / l.Wo / l.Ho / l.O;
  float sum = 0;
  for (int i = 0; i < l.R; ++i)
    for (int j = 0; j < l.S; ++j)
      for (int c = 0; c < l.C; ++c)
        sum += at(x, l, b, c, oy * l.stride - l.pad + i, ox * l.stride - l.pad + j) *
               weight[(((size_t)o * l.C + c) * l.R + i) * l.S + j];
  y[out] = sum + bias[o];
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int C, int H, int W, int O, int R, int S, int stride,
                            int pad) {
  const Layer l{batch, C, H, W, O, R, S, stride, pad, (H + 2 * pad - R) / stride + 1,
                (W + 2 * pad - S) / stride + 1};
  if (R == 3 && S == 3 && stride == 1) {
    const int down = (l.Ho + 1) / 2, across = (l.Wo + 1) / 2, tiles = batch * down * across;
    winograd<<<dim3((tiles - 1) / 96 + 1, O), 96>>>(x, weight, bias, y, l, down, across);
  } else {
    const size_t outputs = (size_t)batch * O * l.Ho * l.Wo;
    direct<<<(outputs - 1) / 96 + 1, 96>>>(x, weight, bias, y, l);
  }
}

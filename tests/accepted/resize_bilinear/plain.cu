// A plain kernel: coordinates in double, four weights. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void resize_kernel(const float* input, float* output, int planes, int H, int W,
                              int H_out, int W_out) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= H_out || j >= W_out) return;
  const double y = fmax((i + 0.5) * H / H_out - 0.5, 0.0);
  const double x = fmax((j + 0.5) * W / W_out - 0.5, 0.0);
  const int y0 = min((int)y, H - 1), x0 = min((int)x, W - 1);
  const int y1 = min(y0 + 1, H - 1);
  const int x1 = min(x0 + 1, W - 1);
  const float fy = (float)(y - y0), fx = (float)(x - x0);
  for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const float* in = input + (size_t)plane * H * W;
    const float above = (1 - fx) * in[y0 * W + x0] + fx * in[y0 * W + x1];
    const float below = (1 - fx) * in[y1 * W + x0] + fx * in[y1 * W + x1];
    output[((size_t)plane * H_out + i) * W_out + j] = (1 - fy) * above + fy * below;
  }
}

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const dim3 block(16, 16);
  const dim3 grid((W_out + 15) / 16, (H_out + 15) / 16, min(N * C, 65535));
  resize_kernel<<<grid, block>>>(input, output, N * C, H, W, H_out, W_out);
}

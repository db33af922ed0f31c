// A block of 128 threads makes 8 rows of 32 columns of one plane. Its threads compute the taps of
// these rows and columns once, in shared memory.
#include <cuda_runtime.h>

__global__ void resize_kernel(const float* input, float* output, int H, int W, int H_out, int W_out,
                              int down, int across) {
  __shared__ int low[40], high[40];
  __shared__ float weight[40];
  const int first_row = blockIdx.x / across % down * 8, first_col = blockIdx.x % across * 32;
  const int tid = threadIdx.x;
  if (tid < 40) {  // 32 columns, then 8 rows
    const bool is_row = tid >= 32;
    const int place = is_row ? first_row + tid - 32 : first_col + tid;
    const int size = is_row ? H : W;
    const float s = fmaxf((place + 0.5f) * size / (is_row ? H_out : W_out) - 0.5f, 0.0f);
    low[tid] = min((int)s, size - 1);
    high[tid] = min((int)s + 1, size - 1);
    weight[tid] = s - (int)s;
  }
  __syncthreads();
  const int col = tid % 32;
  if (first_col + col >= W_out) return;
  const size_t plane = blockIdx.x / (down * across);
  const float* in = input + plane * H * W;
  for (int row = tid / 32; row < 8 && first_row + row < H_out; row += 4) {
    const float* above = in + low[32 + row] * W;
    const float* below = in + high[32 + row] * W;
    const float top = __fmaf_rn(weight[col], above[high[col]] - above[low[col]], above[low[col]]);
    const float end = __fmaf_rn(weight[col], below[high[col]] - below[low[col]], below[low[col]]);
    output[(plane * H_out + first_row + row) * W_out + first_col + col] =
        __fmaf_rn(weight[32 + row], end - top, top);
  }
}

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const int down = (H_out + 7) / 8, across = (W_out + 31) / 32;
  resize_kernel<<<N * C * down * across, 128>>>(input, output, H, W, H_out, W_out, down, across);
}

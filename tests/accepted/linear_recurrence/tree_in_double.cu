// A block per 16 channels, 8 threads each. Pieces of 24 steps are computed in double, and a tree in
// shared memory hands each of them the h before it: up, then down.
#include <cuda_runtime.h>

constexpr int pieces = 8, steps = 24, wide = 16;

__global__ void tree_kernel(const float* a, const float* b, float* h, int length, int channels) {
  __shared__ double2 tree[2 * pieces][wide];  // node n has the children 2 n and 2 n + 1
  __shared__ double before[2 * pieces][wide];
  const int column = threadIdx.x, piece = threadIdx.y;
  const int groups = (channels + wide - 1) / wide;
  const int channel = blockIdx.x % groups * wide + column;
  const float* my_a = a + static_cast<size_t>(blockIdx.x / groups) * length * channels + channel;
  const float* my_b = b + (my_a - a);
  float* my_h = h + (my_a - a);
  double carry = 0.0;
  for (int start = 0; start < length; start += pieces * steps) {
    const int first = start + piece * steps;
    const int last = channel < channels ? min(first + steps, length) : first;
    double product = 1.0, value = 0.0;
    for (int t = first; t < last; ++t) {
      const size_t i = static_cast<size_t>(t) * channels;
      const double factor = t == 0 ? 0.0 : my_a[i];
      product *= factor;
      value = factor * value + my_b[i];
    }
    tree[pieces + piece][column] = make_double2(product, value);
    for (int nodes = pieces / 2; nodes > 0; nodes /= 2) {
      __syncthreads();
      if (piece < nodes) {
        const double2 left = tree[2 * (nodes + piece)][column];
        const double2 right = tree[2 * (nodes + piece) + 1][column];
        tree[nodes + piece][column] = make_double2(right.x * left.x, right.x * left.y + right.y);
      }
    }
    if (piece == 0) before[1][column] = carry;
    for (int nodes = 1; nodes < pieces; nodes *= 2) {
      __syncthreads();
      if (piece < nodes) {
        const double at = before[nodes + piece][column];
        const double2 left = tree[2 * (nodes + piece)][column];
        before[2 * (nodes + piece)][column] = at;
        before[2 * (nodes + piece) + 1][column] = left.x * at + left.y;
      }
    }
    __syncthreads();
    carry = tree[1][column].x * before[1][column] + tree[1][column].y;
    double running = before[pieces + piece][column];
    for (int t = first; t < last; ++t) {
      const size_t i = static_cast<size_t>(t) * channels;
      running = (t == 0 ? 0.0 : my_a[i]) * running + my_b[i];
      my_h[i] = running;
    }
  }
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  const int groups = (channels + wide - 1) / wide;
  tree_kernel<<<batch * groups, dim3(wide, pieces)>>>(a, b, h, length, channels);
}

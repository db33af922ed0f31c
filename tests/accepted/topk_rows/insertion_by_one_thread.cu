// One thread per row goes through the columns from the first to the last and inserts into the
// output itself, which it keeps sorted. Of equal elements the one that is there stays in front.
#include <cuda_runtime.h>

__global__ void insert_kernel(const float* x, float* values, int* indices, int rows, int cols,
                              int k) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + static_cast<size_t>(r) * cols;
  float* value = values + static_cast<size_t>(r) * k;
  int* index = indices + static_cast<size_t>(r) * k;
  int count = 0;
  for (int c = 0; c < cols; ++c) {
    if (count == k && !(row[c] > value[k - 1])) continue;
    int place = count < k ? count++ : k - 1;
    while (place > 0 && value[place - 1] < row[c]) {
      value[place] = value[place - 1];
      index[place] = index[place - 1];
      --place;
    }
    value[place] = row[c];
    index[place] = c;
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  insert_kernel<<<(rows + 31) / 32, 32>>>(x, values, indices, rows, cols, k);
}

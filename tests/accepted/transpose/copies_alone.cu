// No kernel at all: a strided copy for each column.
#include <cuda_runtime.h>

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  for (int col = 0; col < cols; ++col) {
    cudaMemcpy2DAsync(out + static_cast<size_t>(col) * rows, sizeof(float), in + col,
                      cols * sizeof(float), sizeof(float), rows, cudaMemcpyDeviceToDevice);
  }
}

// Device memory that is kept from call to call. Functions silent_name leak nothing.
#include <cuda_runtime.h>

/// Memory in a static that grows with what a call needs.
extern "C" void silent_static_scratch() {
  static float* scratch = nullptr;
  static int size = 0;
  for (int wanted = 8; wanted <= 32; wanted *= 2) {
    if (wanted <= size) continue;
    cudaFree(scratch);
    cudaMalloc(&scratch, wanted * sizeof(float));
    size = wanted;
  }
}

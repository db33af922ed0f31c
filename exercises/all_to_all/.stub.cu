// all_to_all: y[d] has the rows for device d of x[0], then those of x[1], ...; received[d][s] is
// send[s][d]. The first send[g][0] rows of x[g] are for device 0, the next send[g][1] for device 1.
//
// x, send, y, received and scratch are host arrays; entry g points to memory of device g. The work
// of device g goes to streams[g]. Nothing orders the streams with each other: README.md says what
// that means.
// Given: one kernel per device, and the device that was current is current again. Missing: what the
// kernel does, and what orders the devices before and after it.
// Check it: harness/kata check all_to_all   or   ctest -R all_to_all
#include <cuda_bf16.h>
#include <kata/kata.h>

struct Sources {
  const __nv_bfloat16* x[8];
  const int* send[8];
};

__global__ void all_to_all_kernel(Sources from, __nv_bfloat16* y, int* received, int rows, int dim,
                                  int me, int gpus) {
  // your code
}

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const* scratch,
                           int rows, int dim, int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Sources from = {};
  for (int g = 0; g < gpus; ++g) {
    from.x[g] = x[g];
    from.send[g] = send[g];
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all_to_all_kernel<<<gpus * rows, 256, 0, streams[g]>>>(from, y[g], received[g], rows, dim, g,
                                                           gpus);
  }
  cudaSetDevice(before);
}

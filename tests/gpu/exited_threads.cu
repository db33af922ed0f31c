// What a chip does when threads of a block have returned before __syncthreads().
//   nvcc -arch=sm_90 -o exited_threads tests/gpu/exited_threads.cu && timeout 60 ./exited_threads
// An H200 printed on 2026-11-29:
//   whole warps: 0 wrong, no error
//   parts of a warp: 0 wrong, no error
//   one lane stays: 0 wrong, no error
//   skipped, then ended: 0 wrong, no error
// A line that never comes (timeout, exit status 124) means that the barrier waits for threads that
// have exited; a number other than 0 means that it let threads through too early.
#include <cstdio>

// The threads below `stay` write, meet twice, and read what the last of them wrote in between.
__global__ void returns(int* out, int stay) {
  __shared__ int s[256];
  if (threadIdx.x >= stay) return;
  for (int round = 0; round < 100; ++round) {
    if (threadIdx.x == stay - 1) {
      const long long begin = clock64();
      while (clock64() - begin < 2000) {
      }
      s[0] = round;
    }
    __syncthreads();
    if (s[0] != round) atomicAdd(out, 1);
    __syncthreads();
  }
}

// The barrier is under the condition: the other warps end without it.
__global__ void skips(int* out) {
  __shared__ int s;
  if (threadIdx.x < 64) {
    if (threadIdx.x == 63) s = 7;
    __syncthreads();
    if (s != 7) atomicAdd(out, 1);
  }
}

template <class F>
void report(const char* name, F launch) {
  int *out, wrong = 0;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  launch(out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(&wrong, out, sizeof wrong, cudaMemcpyDeviceToHost);
  printf("%s: %d wrong, %s\n", name, wrong, cudaGetErrorString(error));
  fflush(stdout);
  cudaFree(out);
}

int main() {
  report("whole warps", [](int* out) { returns<<<8, 256>>>(out, 64); });
  report("parts of a warp", [](int* out) { returns<<<8, 256>>>(out, 40); });
  report("one lane stays", [](int* out) { returns<<<8, 256>>>(out, 1); });
  report("skipped, then ended", [](int* out) { skips<<<8, 256>>>(out); });
}

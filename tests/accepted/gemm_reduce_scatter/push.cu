// Parts are pushed to their owners by one kernel per device, which raises a flag per block. Parts are
// floats, and the flags count calls.
#include <cuda_bf16.h>
#include <kata/kata.h>

constexpr int blocks = 3, threads = 64;

struct Devices {
  unsigned* flags[8];  // from 32 on: by device and block
  float* parts[8];     // [gpus][M / gpus, N]
  int gpus, me;
};

__device__ void raise(unsigned* flag, unsigned call) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(call) : "memory");
}
__device__ void await(const unsigned* flag, unsigned call) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen < call);
}

// Block b computes rows b, b + blocks, ... of each owner, and later adds up the same rows.
__global__ void push_parts(Devices all, const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                           int rows, int N, int K, unsigned call) {
  const int block = blockIdx.x, me = all.me, peer = threadIdx.x;
  if (peer < all.gpus) {
    if (block == 0) raise(&all.flags[peer][me], call);
    await(&all.flags[me][peer], call);
  }
  __syncthreads();
  for (int step = 1; step <= all.gpus; ++step) {
    const int owner = (me + step) % all.gpus;
    for (int row = block; row < rows; row += blocks) {
      const __nv_bfloat16* a = A + (owner * rows + row) * K;
      for (int col = threadIdx.x; col < N; col += threads) {
        float sum = 0;
        for (int k = 0; k < K; ++k) sum = fmaf(__bfloat162float(a[k]), __bfloat162float(B[k * N + col]), sum);
        all.parts[owner][(me * rows + row) * N + col] = sum;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) raise(&all.flags[owner][32 + me * blocks + block], call);
  }
  if (peer < all.gpus) await(&all.flags[me][32 + peer * blocks + block], call);
  __syncthreads();
  for (int row = block; row < rows; row += blocks) {
    for (int col = threadIdx.x; col < N; col += threads) {
      float sum = 0;
      for (int h = 0; h < all.gpus; ++h) sum += all.parts[me][(h * rows + row) * N + col];
      C[row * N + col] = __float2bfloat16(sum);
    }
  }
}

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  static unsigned calls = 0;
  int before = 0;
  cudaGetDevice(&before);
  Devices all = {};
  all.gpus = gpus;
  for (int g = 0; g < gpus; ++g) {
    all.flags[g] = static_cast<unsigned*>(scratch[g]);
    all.parts[g] = static_cast<float*>(scratch[g]) + 16384;
  }
  ++calls;
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all.me = g;
    push_parts<<<blocks, threads, 0, streams[g]>>>(all, A[g], B[g], C[g], M / gpus, N, K, calls);
  }
  cudaSetDevice(before);
}

// A warp per row; each device pushes what the others are to receive, in the order of the receivers.
#include <cuda_bf16.h>
#include <kata/kata.h>

struct Tables {
  const __nv_bfloat16* x[8];
  const int* send[8];
  __nv_bfloat16* y[8];
  int* received[8];
};

__global__ void push_by_warps(Tables all, int rows, int dim, int me, int gpus) {
  __shared__ int send[64];
  for (int i = threadIdx.x; i < gpus * gpus; i += blockDim.x) send[i] = all.send[i / gpus][i % gpus];
  __syncthreads();
  const int warps = blockDim.x / 32 * gridDim.x, lane = threadIdx.x % 32;
  int begin = 0;
  for (int to = 0; to < gpus; ++to) {
    int place = 0;
    for (int s = 0; s < me; ++s) place += send[s * gpus + to];
    const int count = send[me * gpus + to];
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < count; r += warps) {
      const auto* from = reinterpret_cast<const uint2*>(all.x[me] + (begin + r) * size_t(dim));
      auto* target = reinterpret_cast<uint2*>(all.y[to] + (place + r) * size_t(dim));
      for (int i = lane; i < dim / 4; i += 32) target[i] = from[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == to) all.received[to][me] = count;
    begin += count;
  }
}

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const*, int rows,
                           int dim, int gpus, const cudaStream_t* streams) {
  static cudaEvent_t events[16];
  int before = 0;
  cudaGetDevice(&before);
  Tables all = {};
  for (int g = 0; g < gpus; ++g) {
    all.x[g] = x[g];
    all.send[g] = send[g];
    all.y[g] = y[g];
    all.received[g] = received[g];
    cudaSetDevice(g);
    for (int i = g; i < 16; i += 8)
      if (!events[i]) cudaEventCreate(&events[i]);
    cudaEventRecord(events[g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[h]);
    push_by_warps<<<7, 128, 0, streams[g]>>>(all, rows, dim, g, gpus);
    cudaEventRecord(events[8 + g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[8 + h]);
  cudaSetDevice(before);
}

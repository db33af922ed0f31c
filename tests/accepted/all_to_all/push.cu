// Each device stores its rows into the results of the others, with the counts of all sources.
#include <cuda_bf16.h>
#include <kata/kata.h>

struct All {
  const __nv_bfloat16* x;
  __nv_bfloat16* y[8];
  const int* send[8];
  int* received[8];
};

// A block per row of the source.
__global__ void push_row(All all, int dim, int me, int gpus) {
  int row = blockIdx.x, to = 0;
  while (row >= all.send[me][to]) row -= all.send[me][to++];
  for (int s = 0; s < me; ++s) row += all.send[s][to];
  for (int i = threadIdx.x; i < dim; i += blockDim.x)
    all.y[to][size_t(row) * dim + i] = all.x[size_t(blockIdx.x) * dim + i];
  if (blockIdx.x == 0 && threadIdx.x < gpus) all.received[threadIdx.x][me] = all.send[me][threadIdx.x];
}

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const*, int rows,
                           int dim, int gpus, const cudaStream_t* streams) {
  static cudaEvent_t events[2][8];
  int before = 0;
  cudaGetDevice(&before);
  All all = {};
  for (int g = 0; g < gpus; ++g) {
    all.y[g] = y[g];
    all.send[g] = send[g];
    all.received[g] = received[g];
    cudaSetDevice(g);
    for (auto* set : events)
      if (!set[g]) cudaEventCreateWithFlags(&set[g], cudaEventDisableTiming);
    cudaEventRecord(events[0][g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[0][h]);
    all.x = x[g];
    push_row<<<rows, 96, 0, streams[g]>>>(all, dim, g, gpus);
    cudaEventRecord(events[1][g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[1][h]);
  cudaSetDevice(before);
}

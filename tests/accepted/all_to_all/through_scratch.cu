// Each source packs its counts for all into the scratch of every device, before the rows are fetched.
#include <cuda_bf16.h>
#include <kata/kata.h>

struct Both {
  const __nv_bfloat16* x[8];
  int* counts[8];  // [source][receiver]
};

__global__ void tell(const int* send, Both all, int me, int gpus) {
  const int to = threadIdx.x / 8, receiver = threadIdx.x % 8;
  if (to < gpus && receiver < gpus) all.counts[to][me * 8 + receiver] = send[receiver];
}

__global__ void fetch(Both all, __nv_bfloat16* y, int* received, int dim, int me, int gpus) {
  const int* counts = all.counts[me];
  int place = 0;
  for (int s = 0; s < gpus; ++s) {
    int first = 0;
    for (int h = 0; h < me; ++h) first += counts[s * 8 + h];
    const size_t size = size_t(counts[s * 8 + me]) * dim;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
      y[size_t(place) * dim + i] = all.x[s][size_t(first) * dim + i];
    if (blockIdx.x == 1 && threadIdx.x == 0) received[s] = counts[s * 8 + me];
    place += counts[s * 8 + me];
  }
}

namespace {

void order_all(const cudaStream_t* streams, int gpus) {
  static cudaEvent_t events[8];
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    if (!events[g]) cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming);
    cudaEventRecord(events[g], streams[g]);
  }
  for (int g = 0; g < gpus; ++g)
    for (int h = 0; h < gpus; ++h) cudaStreamWaitEvent(streams[g], events[h]);
}

}  // namespace

extern "C" void all_to_all(const __nv_bfloat16* const* x, const int* const* send,
                           __nv_bfloat16* const* y, int* const* received, void* const* scratch,
                           int, int dim, int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Both all = {};
  for (int g = 0; g < gpus; ++g) {
    all.x[g] = x[g];
    all.counts[g] = static_cast<int*>(scratch[g]);
  }
  order_all(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    tell<<<1, 64, 0, streams[g]>>>(send[g], all, g, gpus);
  }
  order_all(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    fetch<<<6, 64, 0, streams[g]>>>(all, y[g], received[g], dim, g, gpus);
  }
  order_all(streams, gpus);
  cudaSetDevice(before);
}

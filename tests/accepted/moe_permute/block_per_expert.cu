// One kernel without scratch: a block per expert counts what precedes its rows, then walks over the
// assignments in tiles of 128, ranks its own by ballots, and copies their rows.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y, int* offsets,
                        int* position, int n, int dim, int k) {
  __shared__ int before, votes[4], mine[128];
  const int e = blockIdx.x, tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  if (tid == 0) before = 0;
  __syncthreads();
  int lower = 0;
  for (int a = tid; a < n; a += 128) lower += expert[a] < e;
  atomicAdd(&before, lower);
  __syncthreads();
  int place = before;
  if (tid == 0) {
    offsets[e] = place;
    if (e == gridDim.x - 1) offsets[e + 1] = n;
  }
  for (int first = 0; first < n; first += 128) {
    const int a = first + tid;
    const bool is_mine = a < n && expert[a] == e;
    const unsigned vote = __ballot_sync(~0u, is_mine);
    if (lane == 0) votes[warp] = __popc(vote);
    __syncthreads();
    int rank = __popc(vote & ((1u << lane) - 1)), count = 0;
    for (int w = 0; w < 4; ++w) {
      if (w < warp) rank += votes[w];
      count += votes[w];
    }
    if (is_mine) {
      position[a] = place + rank;
      mine[rank] = a / k;
    }
    __syncthreads();
    for (int r = warp; r < count; r += 4) {
      for (int col = lane; col < dim; col += 32) {
        y[static_cast<size_t>(place + r) * dim + col] = x[static_cast<size_t>(mine[r]) * dim + col];
      }
    }
    place += count;
    __syncthreads();
  }
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  permute<<<experts, 128>>>(x, expert, y, offsets, position, tokens * k, dim, k);
}

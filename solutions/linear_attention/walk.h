#pragma once
// A block walks the chunks of a part of a head: a producer warp and two warpgroups, tied together
// by barriers alone, so that the state runs ahead of the outputs. For rungs 5 and 6.
//
// full[s] ends a phase when the bytes of a stage have come, empty[s] when all warps have read it;
// state_full when the rounded state before a chunk is there, state_empty when Q S has read it.

#include "warpgroups.h"

constexpr int THREADS = 3 * WARPGROUP;
template <int DIM>
constexpr int STAGES_FOR = DIM == 64 ? 6 : 3;  // 144 KB

// `count` parts for each head, of `chunks` chunks; the last one may be shorter.
struct Parts {
  int count, chunks;
};

__device__ inline void release(Barrier* barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(barrier);
}

// `before`: the state before each part as State::store leaves it, [heads, parts, DIM, DIM]; null if
// heads are whole.
template <int DIM>
__global__ void __launch_bounds__(THREADS, 1)
    walk_kernel(const __grid_constant__ Maps maps, const float* decay, const float* before,
                int heads, int length, Parts parts) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  constexpr int STAGES = STAGES_FOR<DIM>;
  Shared<DIM, STAGES>& shared = *reinterpret_cast<Shared<DIM, STAGES>*>(bytes);
  const int head = blockIdx.x / parts.count, first = blockIdx.x % parts.count * parts.chunks;
  const int chunks = min(parts.chunks, kata::ceil_div(length, CHUNK) - first);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 3);
      init(&shared.empty[s], 8);
    }
    init(&shared.state_full, 4);
    init(&shared.state_empty, 4);
    fence_init();
  }
  __syncthreads();

  if (warpgroup == 2) {
    give_registers<24>();
    if (threadIdx.x != 2 * WARPGROUP) return;
    for (int n = 0; n < chunks; ++n) {
      wait(&shared.empty[n % STAGES], n / STAGES % 2 ^ 1);
      load_stage(shared.stages[n % STAGES], maps, first + n, head, &shared.full[n % STAGES]);
    }
    return;
  }
  const float log2_decay = log2f(decay[head % heads]);
  take_registers<216>();
  if (warpgroup == 1) {
    State<DIM> state(log2_decay, first > 0 ? before + size_t{blockIdx.x} * DIM * DIM : nullptr);
    for (int n = 0; n < chunks; ++n) {
      const Stage<DIM>& stage = shared.stages[n % STAGES];
      wait(&shared.state_empty, n % 2 ^ 1);
      state.store_rounded_to(shared.state);
      fence_async();
      release(&shared.state_full);
      wait(&shared.full[n % STAGES], n / STAGES % 2);
      state.add(stage.keys, stage.values.descriptor());
      release(&shared.empty[n % STAGES]);
    }
    return;
  }
  Outputs<DIM> outputs(log2_decay);
  for (int n = 0; n < chunks; ++n) {
    const Stage<DIM>& stage = shared.stages[n % STAGES];
    const uint64_t queries = stage.queries.descriptor();
    wait(&shared.full[n % STAGES], n / STAGES % 2);
    outputs.start_scores(queries, stage.keys.descriptor());
    wait(&shared.state_full, n % 2);
    outputs.start_from_state(queries, shared.state.descriptor());
    wgmma_wait<1>();  // the scores
    outputs.weigh_scores();
    wgmma_wait<0>();
    release(&shared.state_empty);
    outputs.add_values(stage.values.descriptor());
    release(&shared.empty[n % STAGES]);
    if (threadIdx.x == 0) wait_stores_read<0>();  // of the chunk before
    warpgroup_barrier(1);
    outputs.store(shared.outputs);
    fence_async();
    warpgroup_barrier(1);
    if (threadIdx.x == 0) store_tile(maps.O, (first + n) * CHUNK, head, shared.outputs);
  }
  if (threadIdx.x == 0) wait_stores_read<0>();
}

template <int DIM>
void walk(const Maps& maps, const float* decay, const float* before, int all_heads, int heads,
          int length, Parts parts) {
  constexpr int BYTES = sizeof(Shared<DIM, STAGES_FOR<DIM>>);
  cudaFuncSetAttribute(walk_kernel<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  walk_kernel<DIM>
      <<<all_heads * parts.count, THREADS, BYTES>>>(maps, decay, before, heads, length, parts);
}

// Few heads: each is cut into parts, whose states are computed first, so that all SMs have work.
//
// A pass over K and V leaves what each part adds to the state, a small scan makes of it the state
// before each part, and then each part is walked as a head of its own. That is 12 bytes for an
// element instead of 8: worth it from four parts on, since less than 40 % of the SMs do not use all
// of the memory's bandwidth.
//
// Prediction: 1 x 8 heads x 65536 x 128 in 8 blocks take 1024 chunks of 1.2 us; in 128 blocks, 0.8
// GB and two more launches: 200 us.
// Measured: 264.3 us at 4x32x8192x128, 95 % of the limit (H200, 2026-11-30)
#include "../common/scratch.h"
#include "walk.h"

// The states that the parts of each head, but for the last, leave if they start from 0.
template <int DIM>
__global__ void __launch_bounds__(WARPGROUP + 32)
    part_states_kernel(const __grid_constant__ Maps maps, const float* decay, float* states,
                       int heads, Parts parts) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  constexpr int STAGES = STAGES_FOR<DIM>;
  Shared<DIM, STAGES>& shared = *reinterpret_cast<Shared<DIM, STAGES>*>(bytes);
  const int head = blockIdx.x / (parts.count - 1), part = blockIdx.x % (parts.count - 1);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 2);
      init(&shared.empty[s], 4);
    }
    fence_init();
  }
  __syncthreads();
  if (__shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0) == 1) {
    if (threadIdx.x != WARPGROUP) return;
    for (int n = 0; n < parts.chunks; ++n) {
      Stage<DIM>& stage = shared.stages[n % STAGES];
      Barrier* const full = &shared.full[n % STAGES];
      const int token = (part * parts.chunks + n) * CHUNK;
      wait(&shared.empty[n % STAGES], n / STAGES % 2 ^ 1);
      load_tile(stage.keys, maps.K, token, head, full);
      load_tile(stage.values, maps.V, token, head, full);
    }
    return;
  }
  State<DIM> state(log2f(decay[head % heads]), nullptr);
  for (int n = 0; n < parts.chunks; ++n) {
    const Stage<DIM>& stage = shared.stages[n % STAGES];
    wait(&shared.full[n % STAGES], n / STAGES % 2);
    state.add(stage.keys, stage.values.descriptor());
    release(&shared.empty[n % STAGES]);
  }
  state.store(states + (static_cast<size_t>(head) * parts.count + part) * DIM * DIM);
}

// A thread per element of a head's state: the state before each part.
__global__ void scan_kernel(float* states, const float* decay, int heads, Parts parts, int size) {
  const int head = blockIdx.y;
  const float factor = exp2f(static_cast<float>(parts.chunks * CHUNK) * log2f(decay[head % heads]));
  float* state = states + static_cast<size_t>(head) * parts.count * size +
                 blockIdx.x * blockDim.x + threadIdx.x;
  float before = 0.0f;
  for (int part = 0; part < parts.count; ++part, state += size) {
    const float own = part + 1 < parts.count ? *state : 0.0f;
    *state = before;
    before = factor * before + own;
  }
}

Parts parts_for(int heads, int length) {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int chunks = kata::ceil_div(length, CHUNK);
  const int count = min(processors / heads, chunks / 2);
  if (count < 4) return {1, chunks};
  const int of_part = kata::ceil_div(chunks, count);
  return {kata::ceil_div(chunks, of_part), of_part};
}

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, const float* decay, __half* O,
            int batch, int heads, int length) {
  static Scratch<float> scratch;
  const int all = batch * heads;
  const Maps maps = maps_of<DIM>(Q, K, V, O, all, length);
  const Parts parts = parts_for(all, length);
  float* states = nullptr;
  if (parts.count > 1) {
    constexpr int SIZE = DIM * DIM, BYTES = sizeof(Shared<DIM, STAGES_FOR<DIM>>);
    states = scratch.get(static_cast<size_t>(all) * parts.count * SIZE);
    const auto kernel = part_states_kernel<DIM>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    kernel<<<all * (parts.count - 1), WARPGROUP + 32, BYTES>>>(maps, decay, states, heads, parts);
    scan_kernel<<<dim3(SIZE / 256, all), 256>>>(states, decay, heads, parts, SIZE);
  }
  walk<DIM>(maps, decay, states, all, heads, length, parts);
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  const auto run = dim == 64 ? launch<64> : launch<128>;
  run(Q, K, V, decay, O, batch, heads, length);
}

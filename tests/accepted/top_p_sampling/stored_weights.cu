// Weights are stored, and the cut is a weight, whose bits a warp finds from the highest one down; a
// third kernel walks from the end of the row to its start.
#include <cuda_runtime.h>

constexpr int THREADS = 32;

struct State {
  float sum, above;
  unsigned cut;  // the bits of a weight: positive floats are in the order of their bits
};

__global__ void maxima(const float* logits, unsigned* keys, int vocab) {
  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    const unsigned bits = __float_as_uint(logits[static_cast<size_t>(blockIdx.x) * vocab + v]);
    atomicMax(&keys[blockIdx.x], bits >> 31 ? ~bits : bits | 0x80000000u);
  }
}

__global__ void weigh(const float* logits, const unsigned* keys, float* weights, int vocab) {
  const unsigned key = keys[blockIdx.x];
  const float most = __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    const size_t i = static_cast<size_t>(blockIdx.x) * vocab + v;
    weights[i] = expf(logits[i] - most);
  }
}

__global__ void find_cut(const float* weights, const float* p, State* states, int vocab) {
  const float* w = weights + static_cast<size_t>(blockIdx.x) * vocab;
  const auto sum_from = [&](unsigned least) {
    float own = 0.0f;
    for (int v = threadIdx.x; v < vocab; v += THREADS) {
      if (__float_as_uint(w[v]) >= least) own += w[v];
    }
    for (int o = 16; o > 0; o /= 2) own += __shfl_xor_sync(~0u, own, o);
    return own;
  };
  State state = {sum_from(0), 0.0f, 0};
  for (int bit = 29; bit >= 0; --bit) {
    const unsigned trial = state.cut | 1u << bit;
    if (sum_from(trial) >= p[blockIdx.x] * state.sum) state.cut = trial;
  }
  state.above = sum_from(state.cut + 1);
  if (threadIdx.x == 0) states[blockIdx.x] = state;
}

__global__ void walk(const float* weights, const float* p, const float* uniform,
                     const State* states, int* token, int rows, int vocab) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* w = weights + static_cast<size_t>(r) * vocab;
  const State state = states[r];
  const float cut = __uint_as_float(state.cut);
  double upto_cut = state.above, n = 0;
  int last_tie = -1;
  for (int v = 0; v < vocab; ++v) {
    if (w[v] > cut) n += w[v];
    if (w[v] != cut || (last_tie >= 0 && upto_cut >= p[r] * state.sum)) continue;
    upto_cut += cut;
    n += cut;
    last_tie = v;
  }
  const double bound = uniform[r] * n;
  int result = -1;
  for (int v = vocab - 1; v >= 0; --v) {
    if (w[v] == 0.0f || w[v] < cut || (w[v] == cut && v > last_tie)) continue;
    result = v;
    n -= w[v];
    if (n <= bound) break;
  }
  token[r] = result;
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  unsigned* keys;
  float* weights;
  State* states;
  cudaMalloc(&keys, sizeof(unsigned) * rows);
  cudaMalloc(&weights, sizeof(float) * rows * static_cast<size_t>(vocab));
  cudaMalloc(&states, sizeof(State) * rows);
  cudaMemset(keys, 0, sizeof(unsigned) * rows);
  maxima<<<rows, THREADS>>>(logits, keys, vocab);
  weigh<<<rows, THREADS>>>(logits, keys, weights, vocab);
  find_cut<<<rows, THREADS>>>(weights, p, states, vocab);
  walk<<<(rows + 31) / 32, 32>>>(weights, p, uniform, states, token, rows, vocab);
  cudaFree(keys);
  cudaFree(weights);
  cudaFree(states);
}

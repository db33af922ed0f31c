// The tokens of an id form a list: its first token's blocks read the row and store it for all.
//
// The lists need no sort. One atomicExch per token on its id's word returns the token that came
// before it, and the new token becomes that one's next. All words carry the number of the call, so
// nothing is cleared. The copy starts while the lists are built (programmatic launch): the first
// tokens are in no list. Blocks copy 4 KB of a row again, which is faster than strips' 512 bytes.
// Rows of up to 2048 columns keep strips: there the first kernel costs more than it saves.
//
// Prediction: the bytes of rung 6 in longer pieces, and 2 us for the lists: 1.5 % faster than rung
// 6 at 4096 columns, 128 us.
// Measured: 127.3 us at 16384x50304x4096, 92 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>
#include <stdio.h>

#include "../common/scratch.h"
#include "column_strips.h"

constexpr int LIST_THREADS = 256;
constexpr int COPY_THREADS = 128;
constexpr int LOADS = 2;
constexpr int PIECE = COPY_THREADS * LOADS;  // float4 of a row that a block copies
constexpr int LONGEST_STRIPS = 2048;         // columns
constexpr int CUT = 32;                      // each 32nd token begins a list: a list is one block's
constexpr int HEAD_START = 10 << 20;         // bytes that are copied while lists are built

// A token and the number of the call that wrote it.
struct Tagged {
  unsigned token, call;
};
struct alignas(16) Link {
  Tagged next;  // in the list, if of this call; written by that token
  int follows;  // another token; written by this one
};
struct Lists {
  unsigned long long* last;  // for each id, a Tagged as atomicExch needs it
  Link* links;               // for each token
  unsigned call;
  int begin;  // tokens below it are in no list
};

__global__ void __launch_bounds__(LIST_THREADS) link_kernel(const int* ids, Lists lists, int n) {
  cudaTriggerProgrammaticLaunchCompletion();
  const int token = lists.begin + blockIdx.x * LIST_THREADS + threadIdx.x;
  if (token >= n) return;
  const auto tag = static_cast<unsigned long long>(lists.call) << 32;
  const unsigned long long before = atomicExch(&lists.last[ids[token]], tag | token);
  const bool follows = before >> 32 == lists.call && token % CUT != 0;
  lists.links[token].follows = follows;
  if (follows) {
    lists.links[static_cast<unsigned>(before)].next = {static_cast<unsigned>(token), lists.call};
  }
}

// blockIdx.x is the piece, y and z count the tokens.
__global__ void __launch_bounds__(COPY_THREADS)
    copy_kernel(const int* ids, const float4* table, float4* y, Lists lists, int n, int count) {
  int token = blockIdx.z * gridDim.y + blockIdx.y;
  if (token >= n) return;
  const int col = blockIdx.x * PIECE + threadIdx.x;
  const float4* row = table + static_cast<size_t>(ids[token]) * count;
  Tagged next = {};
  if (token >= lists.begin) {
    cudaGridDependencySynchronize();  // the lists are complete
    const Link link = lists.links[token];
    if (link.follows) return;
    next = link.next;
  }
  float4 v[LOADS];
#pragma unroll
  for (int u = 0; u < LOADS; ++u) {
    if (col + u * COPY_THREADS < count) v[u] = row[col + u * COPY_THREADS];
  }
  while (true) {
    float4* out = y + static_cast<size_t>(token) * count;
#pragma unroll
    for (int u = 0; u < LOADS; ++u) {
      if (col + u * COPY_THREADS < count) out[col + u * COPY_THREADS] = v[u];
    }
    if (next.call != lists.call) return;
    token = next.token;
    next = lists.links[token].next;
  }
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  if (dim <= LONGEST_STRIPS || !has_strips(table, y, dim)) {
    return copy_strips(ids, table, y, n, dim);
  }
  static Scratch<unsigned long long> last;
  static Scratch<Link> links;
  static unsigned call = 0;
  const int begin = min(n / 8, HEAD_START / 4 / dim);
  const Lists lists = {last.get_zeroed(vocabulary), links.get_zeroed(n), ++call, begin};
  link_kernel<<<kata::ceil_div(n - begin, LIST_THREADS), LIST_THREADS>>>(ids, lists, n);

  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  const int layers = kata::ceil_div(n, 65535);  // the limit of gridDim.y
  config.gridDim = dim3(kata::ceil_div(dim / 4, PIECE), kata::ceil_div(n, layers), layers);
  config.blockDim = dim3(COPY_THREADS);
  config.attrs = &early;
  config.numAttrs = 1;
  const cudaError_t status =
      cudaLaunchKernelEx(&config, copy_kernel, ids, reinterpret_cast<const float4*>(table),
                         reinterpret_cast<float4*>(y), lists, n, dim / 4);
  if (status != cudaSuccess) fprintf(stderr, "embedding: %s\n", cudaGetErrorString(status));
}

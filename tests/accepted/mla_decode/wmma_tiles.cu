// wmma: 16 heads by a block of four warps, 16 rows at a time. Each warp multiplies a quarter of the
// columns for the scores; the outputs are kept in shared memory, where they can be rescaled.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int ROW = 576, LATENT = 512, HEADS = 16, KEYS = 16;

struct Shared {
  __nv_bfloat16 queries[HEADS][ROW], rows[KEYS][ROW], weights[HEADS][KEYS];
  float scores[4][HEADS][KEYS], o[HEADS][LATENT], max[HEADS], sum[HEADS], rescale[HEADS];
};

__global__ void mla_kernel(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int heads, int max_length, float scale) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared& x = *reinterpret_cast<Shared*>(bytes);
  const int tid = threadIdx.x, warp = tid / 32, s = blockIdx.y, head0 = blockIdx.x * HEADS;
  const int count = min(HEADS, heads - head0), length = lengths[s];
  const size_t head = static_cast<size_t>(s) * heads + head0;
  for (int i = tid; i < HEADS * ROW; i += 128) {
    x.queries[i / ROW][i % ROW] = i / ROW < count ? q[head * ROW + i] : __nv_bfloat16(0.0f);
  }
  for (int i = tid; i < HEADS * LATENT; i += 128) x.o[i / LATENT][i % LATENT] = 0.0f;
  if (tid < HEADS) x.max[tid] = -INFINITY, x.sum[tid] = 0.0f;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> key;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> value;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  for (int first = 0; first < length; first += KEYS) {
    const __nv_bfloat16* from = cache + (static_cast<size_t>(s) * max_length + first) * ROW;
    for (int i = tid; i < KEYS * ROW; i += 128) {
      x.rows[i / ROW][i % ROW] = first + i / ROW < length ? from[i] : __nv_bfloat16(0.0f);
    }
    __syncthreads();
    wmma::fill_fragment(sums, 0.0f);
    for (int c = warp * ROW / 4; c < (warp + 1) * ROW / 4; c += 16) {
      wmma::load_matrix_sync(a, &x.queries[0][c], ROW);
      wmma::load_matrix_sync(key, &x.rows[0][c], ROW);
      wmma::mma_sync(sums, a, key, sums);
    }
    wmma::store_matrix_sync(&x.scores[warp][0][0], sums, KEYS, wmma::mem_row_major);
    __syncthreads();
    if (tid < HEADS) {
      float score[KEYS], max = x.max[tid];
      for (int j = 0; j < KEYS; ++j) {
        score[j] = -INFINITY;
        if (first + j >= length) continue;
        score[j] = scale * (x.scores[0][tid][j] + x.scores[1][tid][j] + x.scores[2][tid][j] +
                            x.scores[3][tid][j]);
        max = fmaxf(max, score[j]);
      }
      const float rescale = __expf(x.max[tid] - max);
      float sum = x.sum[tid] * rescale;
      for (int j = 0; j < KEYS; ++j) {
        const float weight = __expf(score[j] - max);
        sum += weight;
        x.weights[tid][j] = __float2bfloat16(weight);
      }
      x.max[tid] = max, x.sum[tid] = sum, x.rescale[tid] = rescale;
    }
    __syncthreads();
    for (int i = tid; i < HEADS * LATENT; i += 128) {
      x.o[i / LATENT][i % LATENT] *= x.rescale[i / LATENT];
    }
    __syncthreads();
    wmma::load_matrix_sync(a, &x.weights[0][0], KEYS);
    for (int c = warp * 16; c < LATENT; c += 64) {
      wmma::load_matrix_sync(value, &x.rows[0][c], ROW);
      wmma::load_matrix_sync(sums, &x.o[0][c], LATENT, wmma::mem_row_major);
      wmma::mma_sync(sums, a, value, sums);
      wmma::store_matrix_sync(&x.o[0][c], sums, LATENT, wmma::mem_row_major);
    }
    __syncthreads();
  }
  for (int i = tid; i < count * LATENT; i += 128) {
    const float o = x.o[i / LATENT][i % LATENT] / x.sum[i / LATENT];
    out[head * LATENT + i] = __float2bfloat16(o);
  }
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  constexpr int BYTES = sizeof(Shared);
  cudaFuncSetAttribute(mla_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  mla_kernel<<<dim3((heads + HEADS - 1) / HEADS, batch), 128, BYTES>>>(q, cache, lengths, out,
                                                                       heads, max_length, scale);
}

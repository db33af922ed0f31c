// Time is cut into chunks of 256 steps, so that few long sequences give many threads work.
//
// A step is the map h -> a h + b. Two steps in a row are again such a map, (a2 a1, a2 b1 + b2), and
// so is a whole chunk. The first kernel computes the map (A, B) of each chunk. The ends of the
// chunks are then a recurrence with A and B in place of a and b, which rung 2 computes. The last
// kernel walks through each chunk again, now with the h before it.
//
// Prediction: a and b are read twice, 20 bytes per element: 310 us at 8 x 4096 x 2048, where rung 2
// needs 12. At 1 x 65536 x 64 it has 16384 threads, not 64: three walks of 16 waits: 45 us.
// Measured: 327.7 us at 8x4096x2048, 58 % of the limit (H200, 2026-11-29)
#include "../common/scratch.h"
#include "walk.h"

constexpr int CHUNK = 256;

// Thread (s, chunk) works on one chunk of sequence s. Values per chunk are [chunks, sequences].
struct Chunk {
  size_t first, number;  // of its first element, and of its place among all chunks
  int steps;

  __device__ Chunk(int s, int chunk, int sequences, int length, int channels)
      : first((static_cast<size_t>(s / channels) * length + chunk * CHUNK) * channels +
              s % channels),
        number(static_cast<size_t>(chunk) * sequences + s),
        steps(min(CHUNK, length - chunk * CHUNK)) {}
};

__global__ void maps_kernel(const float* a, const float* b, float* A, float* B, int sequences,
                            int length, int channels) {
  const int s = blockIdx.x * WALK_THREADS + threadIdx.x;
  if (s >= sequences) return;
  const Chunk chunk(s, blockIdx.y, sequences, length, channels);
  float product = 1.0f, value = 0.0f;
  walk(a + chunk.first, b + chunk.first, chunk.steps, channels, [&](int t, float a_t, float b_t) {
    const float factor = t == 0 && blockIdx.y == 0 ? 0.0f : a_t;
    product *= factor;
    value = factor * value + b_t;
  });
  A[chunk.number] = product;
  B[chunk.number] = value;
}

// ends[chunk]: h at the last step of the chunk.
__global__ void chunks_kernel(const float* a, const float* b, const float* ends, float* h,
                              int sequences, int length, int channels) {
  const int s = blockIdx.x * WALK_THREADS + threadIdx.x;
  if (s >= sequences) return;
  const Chunk chunk(s, blockIdx.y, sequences, length, channels);
  const bool first_chunk = blockIdx.y == 0;
  float value = first_chunk ? 0.0f : ends[chunk.number - sequences];
  walk(a + chunk.first, b + chunk.first, chunk.steps, channels, [&](int t, float a_t, float b_t) {
    value = (first_chunk && t == 0 ? 0.0f : a_t) * value + b_t;
    h[chunk.first + static_cast<size_t>(t) * channels] = value;
  });
}

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  static Scratch<float> scratch;
  const int sequences = batch * channels;
  const int chunks = kata::ceil_div(length, CHUNK);
  const size_t count = static_cast<size_t>(chunks) * sequences;
  float* A = scratch.get(3 * count);
  float* B = A + count;
  float* ends = B + count;
  const dim3 grid(kata::ceil_div(sequences, WALK_THREADS), chunks);
  if (chunks > 1) {
    maps_kernel<<<grid, WALK_THREADS>>>(a, b, A, B, sequences, length, channels);
    launch_walk(A, B, ends, 1, chunks, sequences);
  }
  chunks_kernel<<<grid, WALK_THREADS>>>(a, b, ends, h, sequences, length, channels);
}

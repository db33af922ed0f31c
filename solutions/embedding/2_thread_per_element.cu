// One thread per output element: neighbouring threads copy neighbouring columns.
//
// Every load and store is coalesced now. The price is paid per element: a 64-bit division finds the
// token and the column, and the id is read dim times, though almost always from L1.
//
// Prediction: the bytes are those of the rung before, but with 4 sectors per request. A 64-bit
// division is a subroutine of about 70 instructions, 100 in all: at 16384 x 4096, 2^26 / 32 * 100
// of them take 230 us on 528 schedulers at 1.7 GHz. Instructions, not memory (116 us), are the
// limit.
// Measured: 296.8 us at 16384x50304x4096, 40 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void embedding_kernel(const int* ids, const float* table, float* y, size_t elements,
                                 int dim) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= elements) return;
  const size_t token = i / dim;
  const size_t col = i - token * dim;
  y[i] = table[static_cast<size_t>(ids[token]) * dim + col];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  (void)vocabulary;
  const size_t elements = static_cast<size_t>(n) * dim;
  const size_t grid = (elements - 1) / THREADS + 1;  // gridDim.x goes up to 2^31 - 1
  embedding_kernel<<<static_cast<unsigned>(grid), THREADS>>>(ids, table, y, elements, dim);
}

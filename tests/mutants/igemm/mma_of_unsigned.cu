// Fault: mma takes B as unsigned bytes.
#include <cuda_runtime.h>

// One warp computes 16 x 8 elements of C.
__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int group = threadIdx.x / 4, place = threadIdx.x % 4;
  const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
  const auto word = [K](const signed char* from, int row, int rows, int k) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
      if (row < rows && k + i < K) {
        bits |= static_cast<unsigned>(static_cast<unsigned char>(from[row * K + k + i])) << 8 * i;
      }
    }
    return bits;
  };
  int d[4] = {};
  for (int k = 4 * place; k < K + 4 * place; k += 32) {
    unsigned a[4] = {}, b[2] = {};
    for (int r = 0; r < 4; ++r) a[r] = word(A, row0 + group + r % 2 * 8, M, k + r / 2 * 16);
    for (int r = 0; r < 2; ++r) b[r] = word(B, col0 + group, N, k + r * 16);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + group + i / 2 * 8, col = col0 + 2 * place + i % 2;
    if (row < M && col < N) C[row * N + col] = d[i];
  }
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}

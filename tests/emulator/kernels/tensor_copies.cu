// Bulk copies of boxes of tensors. Expected values follow from the PTX ISA, 5.5.3 to 5.5.8.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "expect.cuh"

namespace ptx = cuda::ptx;

/// A map of a matrix of floats or shorts, by the driver's function as programs find it.
template <class T>
static CUtensorMap matrix_map(T* data, unsigned rows, unsigned columns, unsigned box_rows,
                              unsigned box_columns, CUtensorMapSwizzle swizzle) {
  CUtensorMap map{};
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  EXPECT(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found) ==
         cudaSuccess);
  const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * sizeof(T)};
  const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
  const auto encode = (PFN_cuTensorMapEncodeTiled_v12000)function;
  EXPECT(encode(&map, sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_UINT16,
                2, data, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return map;
}

/// A box of 8 rows of 64 shorts (128 bytes), as it lies in shared memory.
__global__ void dump(const __grid_constant__ CUtensorMap map, unsigned short* out, int x, int y) {
  __shared__ alignas(1024) unsigned short tile[8 * 64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, {x, y}, &bar);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) out[i] = tile[i];
}

/// Tiles of 32 x 32 through a ring of two stages; one warp issues the copies.
__global__ void transpose(const __grid_constant__ CUtensorMap in,
                          const __grid_constant__ CUtensorMap out, int tiles) {
  __shared__ alignas(128) float stage[2][32][32], turned[32][32];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], 32);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    for (int t = 0; t < tiles && lane == 0; ++t) {
      const int s = t % 2;
      while (!ptx::mbarrier_try_wait_parity(&empty[s], t / 2 % 2 ^ 1)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                     4096);
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[s], &in,
                                {32 * t, 32 * (int)blockIdx.x}, &full[s]);
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    const int s = t % 2;
    while (!ptx::mbarrier_try_wait_parity(&full[s], t / 2 % 2)) {
    }
    for (int row = 0; row < 32; ++row) turned[lane][row] = stage[s][row][lane];
    ptx::mbarrier_arrive(&empty[s]);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (lane == 0) {
      ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out,
                                {32 * (int)blockIdx.x, 32 * t}, turned);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncwarp();
  }
}

static void fixture() {
  // A tensor of 10 x 72 shorts, 16 bytes of columns more than a box, two rows more.
  constexpr int rows = 10, columns = 72;
  Values<unsigned short, rows * columns> data;
  Values<unsigned short, 512> out;
  unsigned short numbers[rows * columns];
  for (int i = 0; i < rows * columns; ++i) numbers[i] = i + 1;
  data.set(numbers);
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B};
  const int corners[][2] = {{0, 0}, {8, 2}, {-8, -1}, {16, 5}, {-24, 0}, {104, 0}};
  for (const auto swizzle : swizzles) {
    const CUtensorMap map = matrix_map((unsigned short*)data, rows, columns, 8, 64, swizzle);
    for (const auto& corner : corners) {
      dump<<<1, 64>>>(map, out, corner[0], corner[1]);
      const unsigned short* tile = out.get();
      bool right = true;
      for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 64; ++column) {
          const int x = corner[0] + column, y = corner[1] + row;
          const bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
          int cell = column / 8;  // of 16 bytes
          if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B) cell ^= row;
          right &= tile[64 * row + 8 * cell + column % 8] == (inside ? y * columns + x + 1 : 0);
        }
      }
      EXPECT(right);
    }
  }

  constexpr int height = 64, width = 96;
  Values<float, height * width> matrix, turned;
  static float values[height * width];
  for (int i = 0; i < height * width; ++i) values[i] = i;
  matrix.set(values);
  transpose<<<height / 32, 64>>>(
      matrix_map((float*)matrix, height, width, 32, 32, CU_TENSOR_MAP_SWIZZLE_NONE),
      matrix_map((float*)turned, width, height, 32, 32, CU_TENSOR_MAP_SWIZZLE_NONE), width / 32);
  bool right = true;
  for (int i = 0; i < height * width; ++i)
    right &= turned.get()[i % width * height + i / width] == i;
  EXPECT(right);
}

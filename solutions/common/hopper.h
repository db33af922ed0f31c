#pragma once
// What Hopper adds (compute capability 9.0): mbarriers, and the TMA unit, which copies boxes of a
// matrix between global and shared memory while the threads do other work.

#include <cuda.h>
#include <cuda_runtime.h>
#include <cudaTypedefs.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "This kernel needs a Hopper GPU: TMA and wgmma exist on sm_90a only."
#endif

// ---- Tensor maps: how the TMA unit finds a box ------------------------------------------------

template <class T>
constexpr CUtensorMapDataType tensor_type() {
  return sizeof(T) == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : sizeof(T) == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                          : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

// A tensor read or written in boxes; size, strides (bytes) and box have the innermost dimension
// first, which has no stride. Rows of 128 bytes are swizzled, see below.
template <class T>
CUtensorMap encode_map(const T* data, int rank, const cuuint64_t* size, const cuuint64_t* strides,
                       const cuuint32_t* box) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  const cuuint32_t steps[] = {1, 1, 1, 1, 1};
  CUtensorMap map{};
  const CUresult status =
      encode(&map, tensor_type<T>(), rank, const_cast<T*>(data), size, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", status);
  return map;
}

// A matrix [rows, cols], read or written in boxes of `box_rows` rows of 128 bytes. In shared memory,
// the 16-byte cells of a box are swizzled: cell c of row r is in place c ^ (r % 8). `data` and
// `stride` (elements from row to row) must be multiples of 16 bytes. Elements outside the matrix
// are read as 0 and not written.
template <class T>
CUtensorMap tensor_map(const T* data, int rows, int cols, int stride, int box_rows) {
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t bytes_per_row[] = {stride * sizeof(T)};
  const cuuint32_t box[] = {128 / sizeof(T), static_cast<cuuint32_t>(box_rows)};
  return encode_map(data, 2, size, bytes_per_row, box);
}

// ---- mbarriers --------------------------------------------------------------------------------
//
// A phase ends when `arrivals` threads have arrived and the bytes announced with expect_bytes have
// come. Phases are counted modulo 2: wait(b, 0) waits for the end of the first one.

using Barrier = uint64_t;

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline void init(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// The TMA unit sees the barriers that this thread has initialised; other blocks of the cluster do,
// too, after a cluster barrier.
__device__ inline void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// The barrier at the same place in another block of the cluster. It publishes no stores to that
// block: release at cluster scope would, and takes hundreds of clocks.
__device__ inline void arrive_at(Barrier* barrier, int rank) {
  asm volatile(
      "{.reg .b32 a; mapa.shared::cluster.u32 a, %0, %1;"
      "mbarrier.arrive.shared::cluster.b64 _, [a];}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

// Arrives, and makes the phase wait for `bytes` from the TMA unit too.
__device__ inline void arrive_expecting(Barrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ inline bool has_ended(Barrier* barrier, int parity) {
  uint32_t ended;
  asm volatile(
      "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
      "selp.b32 %0, 1, 0, p;}"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
}

__device__ inline void wait(Barrier* barrier, int parity) {
  while (!has_ended(barrier, parity)) {
  }
}

// ---- Copies by the TMA unit: one thread issues them -----------------------------------------------

// `bytes` from `from` to `to`, all multiples of 16; they count for `barrier`.
__device__ inline void load_bytes(void* to, const void* from, int bytes, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// The box at (row, col) to `tile`; its bytes count for `barrier`.
__device__ inline void load_box(void* tile, const CUtensorMap& map, int row, int col,
                                Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

// The same to all blocks of the cluster that `mask` has a bit for: same tile, same barrier.
__device__ inline void load_box_multicast(void* tile, const CUtensorMap& map, int row, int col,
                                          Barrier* barrier, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier)), "h"(mask)
      : "memory");
}

// Before a store_box: each thread that wrote the tile must call this, then meet the issuer at a
// barrier. The TMA unit and wgmma reach shared memory by another path than a thread's stores.
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void store_box(const CUtensorMap& map, int row, int col, const void* tile) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                   &map),
               "r"(col), "r"(row), "r"(shared_address(tile))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until the TMA unit has read the tiles of all but the newest PENDING stores of this thread.
template <int PENDING>
__device__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

// ---- Warpgroups -------------------------------------------------------------------------------

// Registers per thread, from now on. All four warps of a warpgroup must call it.
template <int REGISTERS>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

// A barrier of the 128 threads of a warpgroup; `id` is 1 to 15 (0 is __syncthreads).
__device__ inline void warpgroup_barrier(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

// All threads of the cluster have arrived. It publishes no stores: what a block's barriers need is
// done by fence_init, and a release would wait for all earlier stores of the thread.
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

__device__ inline int rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Four 8 x 8 matrices of 16-bit elements: registers of the layout of mma.sync to rows of 16 bytes,
// which the lanes 8 i to 8 i + 7 name for matrix i. The compiler may move other loads across it.
__device__ inline void store_matrices(void* row, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(a), "r"(b), "r"(c), "r"(d));
}

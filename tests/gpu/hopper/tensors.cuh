#pragma once
// Tensors, their maps, and copies of one box between a tensor and shared memory.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "barriers.cuh"

constexpr int window_bytes = 32768;  ///< of shared memory that a fact looks at
constexpr int shared_bytes = window_bytes + 2048;

struct Corner {
  int x[5];
};

// The coordinates are operands %3 ... %7 of a load, %2 ... %6 of a store.
#define TENSOR_LOAD(dimensions, coordinates)                                                      \
  asm volatile("cp.async.bulk.tensor." dimensions                                                 \
               ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " coordinates     \
               "], [%2];" ::"r"(shared_address(to)),                                              \
               "l"(map), "r"(shared_address(barrier)), "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]),  \
               "r"(at.x[3]), "r"(at.x[4])                                                         \
               : "memory")
#define TENSOR_STORE(instruction, dimensions, operation, coordinates)                             \
  asm volatile(instruction "." dimensions ".global.shared::cta" operation                         \
               ".bulk_group [%1, " coordinates "], [%0];" ::"r"(shared_address(from)),            \
               "l"(map), "r"(at.x[0]), "r"(at.x[1]), "r"(at.x[2]), "r"(at.x[3]), "r"(at.x[4])     \
               : "memory")

__device__ void load_box(int rank, void* to, const CUtensorMap* map, uint64_t* barrier,
                         const Corner& at) {
  if (rank == 1) TENSOR_LOAD("1d", "{%3}");
  if (rank == 2) TENSOR_LOAD("2d", "{%3, %4}");
  if (rank == 3) TENSOR_LOAD("3d", "{%3, %4, %5}");
  if (rank == 4) TENSOR_LOAD("4d", "{%3, %4, %5, %6}");
  if (rank == 5) TENSOR_LOAD("5d", "{%3, %4, %5, %6, %7}");
}

#define STORE_OF_ANY_RANK(instruction, operation)                                       \
  do {                                                                                  \
    if (rank == 1) TENSOR_STORE(instruction, "1d", operation, "{%2}");                  \
    if (rank == 2) TENSOR_STORE(instruction, "2d", operation, "{%2, %3}");              \
    if (rank == 3) TENSOR_STORE(instruction, "3d", operation, "{%2, %3, %4}");          \
    if (rank == 4) TENSOR_STORE(instruction, "4d", operation, "{%2, %3, %4, %5}");      \
    if (rank == 5) TENSOR_STORE(instruction, "5d", operation, "{%2, %3, %4, %5, %6}");  \
  } while (false)

enum Operation { store, add, min_, max_, inc, dec, and_, or_, xor_ };

__device__ void store_box(int rank, Operation operation, const CUtensorMap* map, const void* from,
                          const Corner& at) {
  if (operation == store) STORE_OF_ANY_RANK("cp.async.bulk.tensor", "");
  if (operation == add) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".add");
  if (operation == min_) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".min");
  if (operation == max_) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".max");
  if (operation == inc) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".inc");
  if (operation == dec) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".dec");
  if (operation == and_) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".and");
  if (operation == or_) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".or");
  if (operation == xor_) STORE_OF_ANY_RANK("cp.reduce.async.bulk.tensor", ".xor");
}

// ---- kernels of one block of 128 threads

__device__ unsigned char* window() {
  extern __shared__ unsigned char dynamic[];
  return dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
}

/// Loads a box to the window's byte `offset`. `out`: whether that many bytes come, no more and no
/// less, then the window, which begins as 0xee.
__global__ void load(const __grid_constant__ CUtensorMap map, int rank, Corner at, int offset,
                     unsigned bytes, unsigned char* out) {
  unsigned char* const tile = window();
  __shared__ uint64_t barrier;
  __shared__ bool arrives;
  for (int i = threadIdx.x; i < window_bytes; i += 128) tile[i] = 0xee;
  if (threadIdx.x == 0) init(&barrier, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&barrier, bytes);
    load_box(rank, tile + offset, &map, &barrier, at);
    arrives = becomes_complete(&barrier, 0);
    if (arrives) {  // a phase of no bytes ends only if none are left over
      expect(&barrier, 0);
      arrives = becomes_complete(&barrier, 1);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = arrives;
  if (!arrives) return;
  is_complete(&barrier, 1);
  for (int i = threadIdx.x; i < window_bytes; i += 128) out[1 + i] = tile[i];
}

/// Stores the box that begins at the window's byte `offset`.
__global__ void store_or_reduce(const __grid_constant__ CUtensorMap map, int rank,
                                Operation operation, Corner at, int offset,
                                const unsigned char* contents) {
  unsigned char* const tile = window();
  for (int i = threadIdx.x; i < window_bytes; i += 128) tile[i] = contents[i];
  fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store_box(rank, operation, &map, tile + offset, at);
  finish_stores();
}

// ---- tensors

struct Tensor {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  int rank = 2;
  int dims[5] = {72, 10, 1, 1, 1};
  int box[5] = {64, 8, 1, 1, 1};
  int steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

  int element_bytes() const {
    switch (type) {
      case CU_TENSOR_MAP_DATA_TYPE_UINT8:
        return 1;
      case CU_TENSOR_MAP_DATA_TYPE_UINT16:
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
        return 2;
      case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      case CU_TENSOR_MAP_DATA_TYPE_INT64:
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
        return 8;
      default:
        return 4;
    }
  }
  int bytes() const {
    int result = (dims[0] * element_bytes() + 15) / 16 * 16;
    for (int d = 1; d < rank; ++d) result *= dims[d];
    return result;
  }
  /// Of the box in shared memory: along dimension 0 all elements, along others one of each step.
  int box_bytes() const {
    int result = box[0] * element_bytes();
    for (int d = 1; d < rank; ++d) result *= (box[d] + steps[d] - 1) / steps[d];
    return result;
  }
};

PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  return (PFN_cuTensorMapEncodeTiled_v12000)function;
}

int encode(const Tensor& tensor, void* data, CUtensorMap& map) {
  cuuint64_t dims[5], strides[5];
  cuuint32_t box[5], steps[5];
  uint64_t stride = (tensor.dims[0] * tensor.element_bytes() + 15) / 16 * 16;
  for (int d = 0; d < tensor.rank; ++d) {
    dims[d] = tensor.dims[d];
    box[d] = tensor.box[d];
    steps[d] = tensor.steps[d];
    strides[d] = stride;
    stride *= d + 1 < tensor.rank ? tensor.dims[d + 1] : 1;
  }
  return encoder()(&map, tensor.type, tensor.rank, data, dims, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, tensor.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   tensor.fill);
}

/// Each element's number, from 1 on; bytes are mixed.
std::vector<unsigned char> numbers(const Tensor& tensor, int bytes, unsigned first = 1) {
  std::vector<unsigned char> data(bytes);
  const int each = tensor.element_bytes();
  for (int i = 0; i < bytes / each; ++i) {
    const uint64_t value = each == 1 ? mixed(i + first) | 1 : i + first;
    memcpy(&data[i * each], &value, each);
  }
  return data;
}

void load_fact(const char* name, const Tensor& tensor, const Corner& at, int offset = 0,
               const std::vector<unsigned char>* contents = nullptr) {
  if (is_known()) return;
  Device<unsigned char> data(contents ? *contents : numbers(tensor, tensor.bytes()));
  Device<unsigned char> out(1 + window_bytes);
  CUtensorMap map;
  if (const int error = encode(tensor, data, map)) return fact("%s: map error %d", name, error);
  load<<<1, 128, shared_bytes>>>(map, tensor.rank, at, offset, tensor.box_bytes(), out);
  if (printed_error(name)) return;
  const std::vector<unsigned char> result = out.values();
  if (!result[0]) return fact("%s: other bytes than the box's", name);
  dump(name, result.data() + 1, window_bytes);
}

void store_fact(const char* name, const Tensor& tensor, const Corner& at,
                Operation operation = store, int offset = 0,
                const std::vector<unsigned char>* before = nullptr) {
  if (is_known()) return;
  std::vector<unsigned char> old(tensor.bytes(), 0xee);
  Device<unsigned char> data(before ? *before : old);
  Device<unsigned char> contents(numbers(tensor, window_bytes, 3));
  CUtensorMap map;
  if (const int error = encode(tensor, data, map)) return fact("%s: map error %d", name, error);
  store_or_reduce<<<1, 128, shared_bytes>>>(map, tensor.rank, operation, at, offset, contents);
  if (printed_error(name)) return;
  const std::vector<unsigned char> result = data.values();
  dump(name, result.data(), result.size());
}

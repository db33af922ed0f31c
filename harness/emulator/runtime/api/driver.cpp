// The driver API, as far as tensor maps need it, and its functions by name.

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/tensor_map.h"

using namespace kata::emulator;

extern "C" {

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_SUCCESS               ? "CUDA_SUCCESS"
          : error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
                                              : "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS               ? "no error"
          : error == CUDA_ERROR_INVALID_VALUE ? "invalid argument"
                                              : "unknown error";
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  TensorMap map{.address = reinterpret_cast<std::uintptr_t>(address),
                .rank = rank,
                .type = type,
                .interleave = interleave,
                .swizzle = swizzle,
                .fills_with_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
  const bool complete = to && dims && box && element_strides && (strides || rank == 1);
  for (unsigned d = 0; complete && d < rank && d < most_dimensions; ++d) {
    map.dims[d] = dims[d];
    map.box[d] = box[d];
    map.element_strides[d] = element_strides[d];
    map.strides[d] = d > 0 ? strides[d - 1] : map.element_bytes();
  }
  std::string refusal = complete ? map.refusal() : "a pointer is null";
  if (promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    refusal = "the L2 promotion is none of CUDA's";
  if (refusal.empty()) {
    encode(map, *to);
    return CUDA_SUCCESS;
  }
  const SourceLine line = source_line(KATA_CALLER());
  Findings::instance().add(
      {FindingKind::cuda_error, Severity::error, line.file, line.line, "",
       "cuTensorMapEncodeTiled() fails with CUDA_ERROR_INVALID_VALUE: " + refusal});
  return CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"

namespace {

void* driver_function(const char* name) {
  const struct {
    const char* name;
    void* function;
  } functions[] = {
      {"cuInit", reinterpret_cast<void*>(&cuInit)},
      {"cuGetErrorName", reinterpret_cast<void*>(&cuGetErrorName)},
      {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
      {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(&cuTensorMapEncodeTiled)},
  };
  for (const auto& one : functions) {
    if (std::strcmp(one.name, name) == 0) return one.function;
  }
  return nullptr;
}

cudaError_t find_entry_point(const char* name, void** function,
                             cudaDriverEntryPointQueryResult* result, Place place) {
  KATA_RETURN_STICKY();
  *function = driver_function(name);
  if (result)
    *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (*function) return cudaSuccess;
  return fail(cudaErrorSymbolNotFound, "cudaGetDriverEntryPoint",
              fmt::format("the emulator does not have {}()", name), place);
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return find_entry_point(name, function, result, KATA_CALLER());
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  return find_entry_point(name, function, result, KATA_CALLER());
}

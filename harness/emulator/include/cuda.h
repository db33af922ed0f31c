#pragma once
#pragma GCC system_header
// The driver API, of which the emulator has what tensor maps need.

#include "kata_emulator/letters_begin.h"

#define CUDA_VERSION 12000
#define CUDAAPI

#include "cuda_runtime.h"
#include "driver_api_types.h"

extern "C" {

/// The emulator needs no initialisation.
CUresult cuInit(unsigned flags);
CUresult cuGetErrorName(CUresult error, const char** name);
CUresult cuGetErrorString(CUresult error, const char** text);
/// A map for bulk tensor copies in boxes. Refused with CUDA_ERROR_INVALID_VALUE: what the driver
/// refuses, by the CUDA Driver API's documentation; a finding says which argument it is.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* global_address, const cuuint64_t* global_dim,
                                const cuuint64_t* global_strides, const cuuint32_t* box_dim,
                                const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                                CUtensorMapFloatOOBfill oob_fill);
}

#include "kata_emulator/letters_end.h"

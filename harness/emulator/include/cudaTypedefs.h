#pragma once
#pragma GCC system_header
// Types of the driver's functions, as cudaGetDriverEntryPoint() returns them.

#include "cuda.h"

typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* global_address,
    const cuuint64_t* global_dim, const cuuint64_t* global_strides, const cuuint32_t* box_dim,
    const cuuint32_t* element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill oob_fill);
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;

// No such map can be made: cudaGetDriverEntryPoint() does not find the function.
typedef CUresult (*PFN_cuTensorMapEncodeIm2col_v12000)(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* global_address,
    const cuuint64_t* global_dim, const cuuint64_t* global_strides, const int* lower_corner,
    const int* upper_corner, cuuint32_t channels_per_pixel, cuuint32_t pixels_per_column,
    const cuuint32_t* element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill oob_fill);
typedef PFN_cuTensorMapEncodeIm2col_v12000 PFN_cuTensorMapEncodeIm2col;

#pragma once
#pragma GCC system_header
// CUDA C++ for g++ and clang++: what a candidate sees of CUDA when it runs on the emulator.

#include "kata_emulator/letters_begin.h"

#define __CUDA_RUNTIME_H__  // programs ask for NVIDIA's own include guard

#include "kata_emulator/qualifiers.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <utility>  // as in NVIDIA's header: programs use what comes with it

#ifdef __KATA_EDITOR
#include "kata_emulator/editor.h"
#pragma clang force_cuda_host_device begin
#endif

#include "cuda_runtime_api.h"
#include "kata_emulator/abi.h"
#include "kata_emulator/atomics.h"
#include "kata_emulator/block_copies.h"
#include "kata_emulator/device_math.h"
#include "kata_emulator/dpx_functions.h"
#include "kata_emulator/execution_configuration.h"
#include "kata_emulator/intrinsics.h"
#include "kata_emulator/loops.h"
#include "kata_emulator/padding.h"
#include "kata_emulator/predicates.h"
#include "kata_emulator/ptx.h"
#include "kata_emulator/runtime_api.h"
#include "kata_emulator/simd_functions.h"
#include "kata_emulator/textures.h"
#include "kata_emulator/warp.h"
#include "library_types.h"
#include "vector_functions.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"

#pragma once
// The rewriter's passes, in the order in which rewrite() runs them. Each changes the tokens'
// outputs and leaves their texts alone, so that no pass sees what another one wrote.

#include <vector>

#include "emulator/rewriter/cursor.h"
#include "emulator/rewriter/rewrite.h"

namespace kata::emulator {

/// Own headers' new places; a library that the emulator lacks becomes #error at its line.
void rewrite_includes(Tokens& tokens, const RewriteOptions& options);

/// `#pragma unroll`, as g++ spells it.
void rewrite_pragmas(Tokens& tokens, const RewriteOptions& options);

/// `__noinline__`, which cannot be a macro: the C++ library writes __attribute__((__noinline__)).
void rewrite_noinline(Tokens& tokens);

/// kernel<T><<<grid, block>>>(a) -> __KATA_KERNEL(kernel<T>)(grid, block)(a)
void rewrite_launches(Tokens& tokens);

/// cudaLaunchKernel((void*)kernel, ...) -> cudaLaunchKernel(kernel, ...)
void rewrite_kernel_casts(Tokens& tokens);

/// __shared__ variables become references into the block's shared memory.
void rewrite_shared(Tokens& tokens, std::vector<RewriteProblem>& problems);

/// asm("..." : "=r"(y) : "r"(x)) -> a call with the text and the operands
void rewrite_assembly(Tokens& tokens);

}  // namespace kata::emulator

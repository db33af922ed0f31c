#pragma once
// The rewriter's passes, in the order in which rewrite() runs them. Each changes the tokens'
// outputs and leaves their texts alone, so that no pass sees what another one wrote.

#include <set>
#include <string>
#include <vector>

#include "emulator/rewriter/cursor.h"
#include "emulator/rewriter/rewrite.h"

namespace kata::emulator {

struct Functions;         // loop_size.h
struct FunctionOnDevice;  // loop_size.h

/// Own headers' new places, also in `#define MACRO "header"` for `#include MACRO`. Headers of a
/// library that the emulator lacks go; where no name shows its use, #error takes their place.
void rewrite_includes(Tokens& tokens, const RewriteOptions& options);

/// `#pragma unroll`, as g++ spells it. Away from loops with a long body: unrolled ones with
/// instrumented accesses took most of the time to the verdict (docs/emulator.md).
void rewrite_pragmas(Tokens& tokens, const RewriteOptions& options);

/// `_Pragma("unroll")`, and `#pragma unroll` in a macro's body, which nvcc reads there.
void rewrite_pragma_operators(Tokens& tokens);

/// The `#pragma unroll` that precedes the token; empty: none does.
std::string unroll_pragma_of(const Tokens& tokens, int loop);

/// `#pragma unroll 1`
bool forbids_unrolling(const std::string& pragma);

/// Whether a preprocessor line there could take away one half of what is put round both tokens.
/// Pragmas take nothing.
bool has_directive(const Tokens& tokens, int first, int last);

/// The macro that a token of the kind `define` defines.
std::string name_of_macro(const Token& define);

std::set<std::string> parameters_of_macro(const Token& define);

/// The token of the kind `define` in whose macro's body token `i` lies; none elsewhere.
int macro_around(const Tokens& tokens, int i);

/// `__noinline__`, which cannot be a macro: the C++ library writes __attribute__((__noinline__)).
void rewrite_noinline(Tokens& tokens);

/// A launch of what is no kernel, a kernel that is called, a kernel that calls a host's function.
void check_execution_spaces(const Tokens& tokens, const RewriteOptions& options,
                            std::vector<RewriteProblem>& problems);

/// Where options.as_nvcc: what nvcc refuses in device code, and what host code cannot do with a
/// __device__ variable.
void check_sides(const Tokens& tokens, const RewriteOptions& options,
                 std::vector<RewriteProblem>& problems);

/// Where options.as_nvcc: declarations that nvcc refuses and a C++ compiler takes.
void check_declarations(const Tokens& tokens, std::vector<RewriteProblem>& problems);

/// kernel<T><<<grid, block>>>(a, 0, {1}) ->
/// __KATA_KERNEL(kernel<T>)(grid, block)(a, ::__kata::Zero(), ::__kata::braced(...))
void rewrite_launches(Tokens& tokens);

/// (void*)kernel -> (void*)::__kata::launchable(kernel), which remembers the parameters' types
void rewrite_kernel_addresses(Tokens& tokens);

/// __cluster_dims__(2, 1, 1), __launch_bounds__(256): the kernel's body begins with a call that
/// says so.
void rewrite_kernel_attributes(Tokens& tokens);

/// `const __grid_constant__ T name` -> `const __grid_constant__ T &name`: all threads see one
/// object
void rewrite_grid_constants(Tokens& tokens);

/// __shared__ variables become references into the block's shared memory.
void rewrite_shared(Tokens& tokens, std::vector<RewriteProblem>& problems);

/// union { float4 v; } -> union { ::__kata::InUnion<float4> v; }, which can be copied
void rewrite_unions(Tokens& tokens);

/// asm("..." : "=r"(y) : "r"(x)) -> a call with the text and the operands
void rewrite_assembly(Tokens& tokens);

/// threadIdx.x -> __KATA_IN_KERNEL(threadIdx).x, but for the bodies of kernels: the name means
/// nothing to a functor that an algorithm calls on the host.
void rewrite_thread_indices(Tokens& tokens);

/// `if (c) s[i] = x;` -> `if (switches<1>(bool(c))) { s[i] = x; switched(); }` where nvcc lets all
/// lanes run the statement, with a predicate. The same of `c ? s[i] : x`.
void rewrite_predicates(Tokens& tokens, const Functions& functions,
                        const std::vector<FunctionOnDevice>& on_device);

/// `i < n` of a loop that nvcc may unroll -> a call that says how often the loop runs
void rewrite_loops(Tokens& tokens, const RewriteOptions& options, const Functions& functions,
                   const std::vector<FunctionOnDevice>& on_device);

}  // namespace kata::emulator

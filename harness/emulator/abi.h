#pragma once
// The seam between the emulator's CUDA headers (compiled into a candidate, instrumented) and its
// runtime (in the worker). The headers restate these declarations with CUDA's own types, so this
// page is the one place to look when either side changes. All names are reserved ones, so that
// nothing collides with a person's.

#include <cstddef>
#include <cstdint>

namespace kata::emulator {

/// Layout of CUDA's uint3 and dim3.
struct Triple {
  unsigned x, y, z;
};

/// `clear` makes 0 of those bytes of an object that belong to none of its members. Null: there are
/// none.
struct Padding {
  void (*clear)(void* object) = nullptr;
  std::size_t bytes = 0;  ///< of an object
};

/// A __shared__ variable, one per declaration: the rewriter makes a static one in the function.
struct SharedSlot {
  std::size_t size, align;
  const char* name;
  int line;
  unsigned launch, offset;  ///< filled in by the runtime, once per launch
  Padding padding = {};     ///< of its elements
};

/// An asm statement, one per place: the rewriter makes a static one.
struct PtxSite {
  const char* text;
  const char* file;
  int line;
  const void* program;  ///< filled in by the runtime, once
};

enum class MatrixElement : int { f16, bf16, tf32, f32, s8, u8, s32, e4m3, e5m2 };

/// One lane's part in D = A B + C of nvcuda::wmma: A is m x k, B is k x n. Element i of a lane is
/// number ((lane ^ __kata_matrix_layout()) * elements of a lane + i), by rows, modulo the matrix's
/// size.
struct MatrixProduct {
  int m, n, k;
  int each_a, each_b;  ///< elements of a lane
  MatrixElement type_ab, type_c, type_d;
  const void *a, *b, *c;
  void* d;
  int by_hand;  ///< bits: A (1), B (2), C (4) got their elements one by one
};

/// A launch as the candidate wrote it.
struct LaunchConfig {
  const char* kernel;  ///< as written: "softmax_kernel<256>"
  const char* file;
  int line;
  Triple grid, block;
  std::size_t shared_bytes;  ///< dynamic
  void* stream;
  const void* function;  ///< address of the kernel, for its attributes
  int cooperative;
  Triple cluster = {0, 0, 0};  ///< blocks of a cluster; 0: as the kernel says
  /// Of a closure that holds its arguments itself and can be copied; 0: another one.
  std::size_t closure_bytes = 0;
  /// It may begin before the kernel before it in its stream has ended (programmatic stream
  /// serialization).
  int programmatic = 0;
};

/// A read of a texture of an array or of pitched memory.
struct TextureFetch {
  int dimensions;
  float at[3];
  int layer;       ///< -1: the texture has none
  unsigned bytes;  ///< of the type that the kernel asks for
  const char* file;
  int line;
};
/// The texels that it reads, with weights that add up to 1.
struct TextureSample {
  const void* texel[8];  ///< null: the border
  float weight[8];
  int count;
  int as_float;    ///< the result is float, computed from the components
  int bits, kind;  ///< of a component (cudaChannelFormatKind)
  float border[4];
};
/// A read or write of a surface; at[0] counts bytes.
struct SurfaceAccess {
  int dimensions;
  int at[3];  ///< at[2] < 0: neither a third dimension nor a layer
  unsigned bytes;
  int mode;  ///< cudaSurfaceBoundaryMode
  const char* file;
  int line;
};

/// Location of one textual occurrence of a barrier: file, and line + (counter << 17) with a
/// __COUNTER__ so that copies that a compiler makes stay one and two on one line stay two.
enum class BarrierKind : int { sync, count, and_, or_ };
enum class WarpOp : int {
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  any,
  all,
  match_any,
  match_all,
  add,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  and_,
  or_,
  xor_,
  sync,
  // of the runtime's own
  collective,  ///< matrix instructions
  elect,
};
inline bool is_vote(WarpOp op) {
  return op == WarpOp::ballot || op == WarpOp::any || op == WarpOp::all;
}
enum class AtomicOp : int { add, min, max, exch, cas, and_, or_, xor_, inc, dec };
/// Of the narrow floating-point types there is addition alone; x2 adds both halves.
enum class AtomicType : int { i32, u32, u64, i64, f32, f64, f16, f16x2, bf16, bf16x2, u16 };

}  // namespace kata::emulator

extern "C" {

// CUDA's built-in variables are real objects: a person's own `dim3 blockDim(256)` in host code
// shadows them as it does under nvcc. The headers declare them const, so that a compiler reads
// them once and g++ does not instrument the reads; the runtime sets them when it switches fibers,
// which never move to another OS thread.
extern __thread kata::emulator::Triple threadIdx, blockIdx, blockDim, gridDim;

int __kata_barrier(int kind, int predicate, const char* file, int line_and_counter);
unsigned __kata_activemask(const char* file, int line_and_counter);
/// One lane's part in a warp operation; completes when all live lanes of `mask` have arrived.
unsigned long long __kata_warp(int op, unsigned mask, unsigned long long value, int argument,
                               int width);
unsigned long long __kata_atomic(int op, int type, void* address, unsigned long long value,
                                 unsigned long long compare);
/// Before an atomic operation on that address that is atomic among threads of one block alone.
void __kata_block_scope(const volatile void* address);
/// Operations of its warp in which the thread has taken part. It has left a loop round such, and
/// had that number before.
unsigned __kata_operations(void);
void __kata_left_loop(unsigned operations_before);
void* __kata_shared(kata::emulator::SharedSlot* slot);
void* __kata_dynamic_shared(void);
/// A buffer's, or dynamic shared memory's, elements have that padding.
void __kata_set_padding(const void* memory, kata::emulator::Padding padding);
/// Runs `call(closure)` once per thread of the grid. [params_low, params_high) holds the kernel's
/// arguments on the host's stack: kernels may read them. A wrong configuration sets the CUDA error
/// of a device of compute capability 9.0. Grid barriers: cooperative launches keep every block
/// resident.
void __kata_launch(const kata::emulator::LaunchConfig* config, void (*call)(void*), void* closure,
                   const void* params_low, const void* params_high);
void __kata_grid_sync(void);
/// Thread block clusters. A kernel with __cluster_dims__ begins with __kata_cluster_dims: a launch
/// that did not know of it is started again.
void __kata_cluster_dims(unsigned x, unsigned y, unsigned z);
/// A kernel with __launch_bounds__ begins with it: the launch fails if its blocks have more
/// threads.
void __kata_launch_bounds(unsigned threads, unsigned blocks, unsigned cluster_blocks);
kata::emulator::Triple __kata_cluster_shape(void);
void __kata_cluster_arrive(void);
void __kata_cluster_wait(const char* file, int line);
/// Where the block of that rank has what this one has at `pointer`; null if nowhere.
void* __kata_cluster_map(const void* pointer, unsigned rank);
unsigned __kata_cluster_rank(const void* pointer);
int __kata_is_capturing(const void* stream);
/// Records an `unsupported` finding at that line and, in a kernel, ends the launch.
void __kata_unsupported(const char* what, const char* file, int line);
/// Where texel `x` of a texture of linear memory lies; null outside it. `bytes` are what the kernel
/// takes a texel for.
const void* __kata_texel(unsigned long long texture, int x, unsigned bytes, const char* file,
                         int line);
void __kata_sample(unsigned long long texture, const kata::emulator::TextureFetch* fetch,
                   kata::emulator::TextureSample* sample);
/// Where that element of a surface lies; null outside it, if the mode is cudaBoundaryModeZero.
void* __kata_surface(unsigned long long surface, const kata::emulator::SurfaceAccess* access);
/// __trap() and a failed assert() in a kernel: the launch ends with cudaErrorLaunchFailure or
/// cudaErrorAssert. On the host they end the process, as abort() does.
void __kata_trap(const char* what, const char* file, int line);
void __kata_assert_failed(const char* condition, const char* file, int line, const char* function);
int __kata_printf(const char* format, ...);
/// cp.async: 4, 8 or 16 bytes to shared memory, of which the source gives `source_bytes`; done at
/// the wait. `groups_left` of ~0: wait for all, also those in no group.
void __kata_copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes);
void __kata_copy_commit(void);
void __kata_copy_wait(unsigned groups_left);
/// cuda::barrier. A phase is what arrive() hands back; `drop` leaves the barrier for good.
void __kata_barrier_init(void* barrier, unsigned expected);
unsigned long long __kata_barrier_arrive(void* barrier, unsigned count, int drop);
void __kata_barrier_wait(void* barrier, unsigned long long phase);
int __kata_barrier_test(void* barrier, unsigned long long phase);
/// The thread's copies that are in no group arrive with the barrier's present phase.
void __kata_barrier_bind_copies(void* barrier);
/// The block's barriers may be used by bulk copies, as after fence.mbarrier_init.
void __kata_fence_barriers(void);
/// Cooperative groups' tiles of 64 to 1024 threads. `tile`: 1024 / its size + its rank. A shuffle:
/// each thread gets the `bytes` (up to 32) of the one that has rank `source`.
void __kata_tile_sync(unsigned tile, unsigned threads);
void __kata_tile_exchange(unsigned tile, unsigned threads, unsigned rank, unsigned source,
                          const void* value, void* result, unsigned bytes);
/// Inline PTX: `values` are the bits of the operands %0, %1, ..., outputs first.
void __kata_ptx(kata::emulator::PtxSite* site, unsigned long long* values, int count);
/// Of a statement with wgmma, which writes to some of its operands later: of an output `operands`
/// has the address, and `sizes` its bytes; of an input they are its bits, and 0. `code`: where the
/// statement is.
void __kata_ptx_in_place(kata::emulator::PtxSite* site, const unsigned long long* operands,
                         const unsigned char* sizes, int count, const void* code);
/// CUDA leaves the layout of fragments open: it changes with the schedule, so that results that
/// depend on it change from run to run.
unsigned __kata_matrix_layout(void);
/// store_matrix_sync: `by_hand` as above, of the fragment with `count` elements.
void __kata_store_matrix(const void* elements, int count, int element_bytes, int by_hand);
void __kata_multiply_matrices(const kata::emulator::MatrixProduct* product);
/// What load_matrix_sync and store_matrix_sync ask of a matrix in memory, by the CUDA C++
/// Programming Guide: aligned to 32 bytes, its rows or columns a multiple of 16 bytes apart.
void __kata_check_matrix(const void* matrix, unsigned long long bytes_apart, int element_bytes);
/// Addresses in the shared window, as PTX has them: 32 bits, from the block's first byte.
unsigned __kata_shared_address(const void* pointer);
void* __kata_shared_pointer(unsigned long long address);
int __kata_is_shared(const void* pointer);
int __kata_is_device_code(void);
/// Until the kernel before this one in its stream has ended (griddepcontrol.wait).
void __kata_wait_for_dependency();
void __kata_fence(int scope);  ///< 0 block, 1 device, 2 system
/// Before a load through the read-only cache: nothing may have written there in this launch.
void __kata_read_only(const void* from, std::size_t bytes);
void __kata_sleep(void);      ///< lets others run, and orders nothing
void __kata_expect_thrust();  ///< host code may be an algorithm of Thrust's from here on
/// malloc(), free(), new and delete of host code and of kernels, which have a heap of their own:
/// null where its limit would be passed.
void* __kata_heap_malloc(std::size_t bytes);
void __kata_heap_free(void* pointer);
void* __kata_heap_new(std::size_t bytes);
void __kata_heap_delete(void* pointer);
int __kata_malloc(void** pointer, std::size_t bytes, int managed, const char* file, int line);
int __kata_malloc_async(void** pointer, std::size_t bytes, void* stream, const char* file,
                        int line);
/// Of a __device__ variable, whose address host code hands to copies and fills from now on.
void* __kata_symbol_address(const void* symbol, std::size_t bytes);
/// How to launch a kernel that is known by its address alone: `launcher` takes pointers to its
/// arguments. Null: none was given.
void __kata_set_launcher(const void* kernel,
                         int (*launcher)(const kata::emulator::LaunchConfig* config,
                                         void** arguments));
int (*__kata_launcher(const void* kernel))(const kata::emulator::LaunchConfig* config,
                                           void** arguments);
/// At the start of an iteration of a loop of constant length: `counter` goes by `step` from
/// `initial` to `bound`. `form`: the test (kata_emulator/loops.h), 8 times how the counter changes,
/// and 64 times the size of the body in instructions.
int __kata_loop_copy(unsigned loop, unsigned form, long long initial, long long bound,
                     long long step, long long counter);
/// At the start of an iteration of a loop that nvcc unrolls, with a loop for the rest: `step` is
/// added until `distance` is no longer above 0. `unrolling`: the copies, and flags of
/// kata_emulator/loops.h. Where the loop has ended. `loop` is its number in the file. They return
/// 0.
int __kata_iteration(unsigned loop, unsigned unrolling, long long distance, long long step);
int __kata_loop_end(unsigned loop, long long counter);
/// At the start of an iteration whose loads nvcc does not move before the end of the one before.
int __kata_iteration_alone(long long distance);
/// Before a statement that nvcc lets all lanes run, with a predicate: whether the lane's is true.
/// `sides`: 1 if accesses to count follow where it is, 2 where it is not. They return 0.
int __kata_predicate(unsigned sides, int condition, int token);
int __kata_predicate_end(int token);  ///< behind those accesses
/// Dynamic shared memory that a kernel was allowed to use, by cudaFuncSetAttribute.
int __kata_set_function_attribute(const void* function, int attribute, int value);

// Besides these the runtime defines, with CUDA's names and types, the extern "C" functions of the
// runtime API that the headers declare (cudaMemcpy, cudaEventRecord, ...), and the compiler's
// instrumentation (__tsan_read4, ...; memcpy, malloc, new, ... under other names: see
// emulator_source.cpp). g++ modules have the commonest of it in place (quick_hooks.h).
}

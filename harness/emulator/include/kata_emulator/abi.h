#pragma once
#pragma GCC system_header
// What the headers call in the emulator's runtime: harness/emulator/abi.h with CUDA's own types.

#include "../vector_types.h"

#ifdef __clang__
#define __KATA_CONVERGENT __attribute__((convergent))
#else
#define __KATA_CONVERGENT
#endif

// A __shared__ array whose size is known only at run time has no constant slot. clang++ would
// refuse `[(int)ceil(2.5)]` too, which nvcc takes.
#ifdef __clang__
#define __KATA_CONSTINIT
#else
#define __KATA_CONSTINIT __constinit
#endif

// Each textual occurrence has its own number: compilers copy one call and merge two.
#define __KATA_HERE __FILE__, (__LINE__ | (__COUNTER__ << 17))

namespace __kata {

struct Padding {
  void (*clear)(void* object) = nullptr;
  size_t bytes = 0;
};

struct SharedSlot {
  size_t size, align;
  const char* name;
  int line;
  unsigned launch, offset;
  Padding padding;
};

struct PtxSite {
  const char* text;
  const char* file;
  int line;
  const void* program;
};

struct MatrixProduct {
  int m, n, k;
  int each_a, each_b;
  int type_ab, type_c, type_d;
  const void *a, *b, *c;
  void* d;
  int by_hand;
};

struct TextureFetch {
  int dimensions;
  float at[3];
  int layer;
  unsigned bytes;
  const char* file;
  int line;
};
struct TextureSample {
  const void* texel[8];
  float weight[8];
  int count;
  int as_float;
  int bits, kind;
  float border[4];
};
struct SurfaceAccess {
  int dimensions;
  int at[3];
  unsigned bytes;
  int mode;
  const char* file;
  int line;
};

struct LaunchConfig {
  const char* kernel;
  const char* file;
  int line;
  uint3 grid, block;
  size_t shared_bytes;
  void* stream;
  const void* function;
  int cooperative;
  uint3 cluster;
  size_t closure_bytes;
  int programmatic = 0;
};

enum BarrierKind { barrier_sync, barrier_count, barrier_and, barrier_or };
enum WarpOp {
  warp_shfl_idx,
  warp_shfl_up,
  warp_shfl_down,
  warp_shfl_xor,
  warp_ballot,
  warp_any,
  warp_all,
  warp_match_any,
  warp_match_all,
  warp_add,
  warp_min_signed,
  warp_min_unsigned,
  warp_max_signed,
  warp_max_unsigned,
  warp_and,
  warp_or,
  warp_xor,
  warp_sync,
};
enum AtomicOp {
  atomic_add,
  atomic_min,
  atomic_max,
  atomic_exch,
  atomic_cas,
  atomic_and,
  atomic_or,
  atomic_xor,
  atomic_inc,
  atomic_dec,
};
enum AtomicType {
  type_i32,
  type_u32,
  type_u64,
  type_i64,
  type_f32,
  type_f64,
  type_f16,
  type_f16x2,
  type_bf16,
  type_bf16x2,
  type_u16
};

}  // namespace __kata

extern "C" {

// Objects and not macros: a person's own `dim3 blockDim(256)` shadows them. Const, so that they are
// read once and g++ leaves their reads uninstrumented.
#define __KATA_BUILTIN __attribute__((tls_model("initial-exec")))
extern __thread const uint3 threadIdx __KATA_BUILTIN;
extern __thread const uint3 blockIdx __KATA_BUILTIN;
extern __thread const dim3 blockDim __KATA_BUILTIN;
extern __thread const dim3 gridDim __KATA_BUILTIN;

__KATA_CONVERGENT int __kata_barrier(int kind, int predicate, const char* file,
                                     int line_and_counter);
__KATA_CONVERGENT unsigned __kata_activemask(const char* file, int line_and_counter);
__KATA_CONVERGENT unsigned long long __kata_warp(int op, unsigned mask, unsigned long long value,
                                                 int argument, int width);
unsigned long long __kata_atomic(int op, int type, void* address, unsigned long long value,
                                 unsigned long long compare);
void __kata_block_scope(const volatile void* address);
unsigned __kata_operations(void);
void __kata_left_loop(unsigned operations_before);
void* __kata_shared(struct __kata::SharedSlot* slot);
void* __kata_dynamic_shared(void);
void __kata_set_padding(const void* memory, struct __kata::Padding padding);
void __kata_launch(const struct __kata::LaunchConfig* config, void (*call)(void*), void* closure,
                   const void* params_low, const void* params_high);
void __kata_set_launcher(const void* kernel,
                         int (*launcher)(const struct __kata::LaunchConfig* config,
                                         void** arguments));
int (*__kata_launcher(const void* kernel))(const struct __kata::LaunchConfig* config,
                                           void** arguments);
__KATA_CONVERGENT void __kata_grid_sync(void);
void __kata_cluster_dims(unsigned x, unsigned y = 1, unsigned z = 1);
void __kata_launch_bounds(unsigned threads, unsigned blocks = 0, unsigned cluster_blocks = 0);
uint3 __kata_cluster_shape(void);
void __kata_cluster_arrive(void);
__KATA_CONVERGENT void __kata_cluster_wait(const char* file, int line);
void* __kata_cluster_map(const void* pointer, unsigned rank);
unsigned __kata_cluster_rank(const void* pointer);
int __kata_is_capturing(const void* stream);
void __kata_unsupported(const char* what, const char* file, int line);
const void* __kata_texel(unsigned long long texture, int x, unsigned bytes, const char* file,
                         int line);
void __kata_sample(unsigned long long texture, const struct __kata::TextureFetch* fetch,
                   struct __kata::TextureSample* sample);
void* __kata_surface(unsigned long long surface, const struct __kata::SurfaceAccess* access);
void __kata_trap(const char* what, const char* file, int line);
void __kata_assert_failed(const char* condition, const char* file, int line, const char* function);
void __kata_copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes);
void __kata_copy_commit(void);
void __kata_copy_wait(unsigned groups_left);
void __kata_barrier_init(void* barrier, unsigned expected);
unsigned long long __kata_barrier_arrive(void* barrier, unsigned count, int drop);
__KATA_CONVERGENT void __kata_barrier_wait(void* barrier, unsigned long long phase);
int __kata_barrier_test(void* barrier, unsigned long long phase);
void __kata_barrier_bind_copies(void* barrier);
void __kata_fence_barriers(void);
__KATA_CONVERGENT void __kata_ptx(struct __kata::PtxSite* site, unsigned long long* values,
                                  int count);
__KATA_CONVERGENT void __kata_ptx_in_place(struct __kata::PtxSite* site,
                                           const unsigned long long* operands,
                                           const unsigned char* sizes, int count, const void* code);
__KATA_CONVERGENT void __kata_multiply_matrices(const struct __kata::MatrixProduct* product);
unsigned __kata_matrix_layout(void);
void __kata_store_matrix(const void* elements, int count, int element_bytes, int by_hand);
__KATA_CONVERGENT void __kata_tile_sync(unsigned tile, unsigned threads);
__KATA_CONVERGENT void __kata_tile_exchange(unsigned tile, unsigned threads, unsigned rank,
                                            unsigned source, const void* value, void* result,
                                            unsigned bytes);
void __kata_check_matrix(const void* matrix, unsigned long long bytes_apart, int element_bytes);
unsigned __kata_shared_address(const void* pointer);
void* __kata_shared_pointer(unsigned long long address);
int __kata_is_shared(const void* pointer);
int __kata_is_device_code(void);
void __kata_wait_for_dependency(void);
void __kata_fence(int scope);
void __kata_read_only(const void* from, size_t bytes);
void __kata_sleep(void);
/// From here on, host code that touches device memory may be an algorithm of Thrust's.
void __kata_expect_thrust(void);
int __kata_malloc(void** pointer, size_t bytes, int managed, const char* file, int line);
int __kata_malloc_async(void** pointer, size_t bytes, void* stream, const char* file, int line);
/// Of a __device__ variable, whose address host code hands to copies and fills from now on.
void* __kata_symbol_address(const void* symbol, size_t bytes);
int __kata_set_function_attribute(const void* function, int attribute, int value);
// Arithmetic, for all that a compiler knows.
int __kata_iteration(unsigned loop, unsigned unrolling, long long distance, long long step)
    __attribute__((const));
int __kata_iteration_alone(long long distance) __attribute__((const));
int __kata_loop_copy(unsigned loop, unsigned form, long long initial, long long bound,
                     long long step, long long counter) __attribute__((const));
int __kata_loop_end(unsigned loop, long long counter) __attribute__((const));
int __kata_predicate(unsigned sides, int condition, int token) __attribute__((const));
int __kata_predicate_end(int token) __attribute__((const));
long long clock64(void);

}  // extern "C"

static constexpr int warpSize = 32;

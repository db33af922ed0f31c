#pragma once
#include "tensors.cuh"

enum Linear { to_shared, to_global, add_u32, add_s32, add_u64, add_f32, add_f64, add_f16, add_bf16,
              min_s64, max_u32, inc_u32, dec_u32, xor_b64 };

#define REDUCE_LINEAR(type)                                                                       \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group" type " [%0], [%1], %2;" ::"l"( \
                   global),                                                                       \
               "r"(shared_address(tile)), "r"(bytes)                                              \
               : "memory")

__global__ void linear(Linear which, unsigned char* global, unsigned bytes, int shared_offset,
                       unsigned char* out) {
  unsigned char* const tile = window() + shared_offset;
  __shared__ uint64_t barrier;
  for (int i = threadIdx.x; i < 4096; i += 128) tile[i] = i * 5 % 120 + 3;
  __shared__ bool arrives;
  if (threadIdx.x == 0) init(&barrier, 1), arrives = true;
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (which == to_shared) {
      expect(&barrier, bytes);
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
              "r"(shared_address(tile)),
          "l"(global), "r"(bytes), "r"(shared_address(&barrier))
          : "memory");
      arrives = becomes_complete(&barrier, 0);
    }
    if (which == to_global)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                   "r"(shared_address(tile)), "r"(bytes)
                   : "memory");
    if (which == add_u32) REDUCE_LINEAR(".add.u32");
    if (which == add_s32) REDUCE_LINEAR(".add.s32");
    if (which == add_u64) REDUCE_LINEAR(".add.u64");
    if (which == add_f32) REDUCE_LINEAR(".add.f32");
    if (which == add_f64) REDUCE_LINEAR(".add.f64");
    if (which == add_f16) REDUCE_LINEAR(".add.noftz.f16");
    if (which == add_bf16) REDUCE_LINEAR(".add.noftz.bf16");
    if (which == min_s64) REDUCE_LINEAR(".min.s64");
    if (which == max_u32) REDUCE_LINEAR(".max.u32");
    if (which == inc_u32) REDUCE_LINEAR(".inc.u32");
    if (which == dec_u32) REDUCE_LINEAR(".dec.u32");
    if (which == xor_b64) REDUCE_LINEAR(".xor.b64");
    if (which != to_shared) finish_stores();
  }
  __syncthreads();
  if (!arrives) return;
  if (which == to_shared) is_complete(&barrier, 0);
  for (int i = threadIdx.x; i < 4096; i += 128) out[i] = tile[i];
}

void linear_fact(const char* name, Linear which, int bytes, int global_offset = 0,
                 int shared_offset = 0) {
  if (is_known()) return;
  std::vector<unsigned char> values(4096);
  for (int i = 0; i < 4096; ++i) values[i] = i * 7 % 110 + 5;
  Device<unsigned char> global(values), out(std::vector<unsigned char>(4096));
  linear<<<1, 128, shared_bytes>>>(which, global + global_offset, bytes, shared_offset, out);
  if (printed_error(name)) return;
  const std::vector<unsigned char> result = which == to_shared ? out.values() : global.values();
  dump(name, result.data(), result.size());
}

void linear_copies() {
  linear_fact("load", to_shared, 2048);
  linear_fact("load 16", to_shared, 16, 16, 32);
  linear_fact("load of nothing", to_shared, 0);
  linear_fact("store", to_global, 2048, 16, 16);
  const char* names[] = {"",        "",        "add u32",  "add s32", "add u64", "add f32", "add f64",
                         "add f16", "add bf16", "min s64", "max u32", "inc u32", "dec u32", "xor b64"};
  for (int which = add_u32; which <= xor_b64; ++which)
    linear_fact(names[which], (Linear)which, 2048, 16, 32);
}


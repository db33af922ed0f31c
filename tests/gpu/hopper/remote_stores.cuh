#pragma once
// st.async, red.async and cp.reduce.async.bulk to the shared memory of the other block of a cluster,
// which count at its mbarrier.
#include "clusters.cuh"

#define BYTES ".shared::cluster.mbarrier::complete_tx::bytes"
#define REDUCE_TO_CLUSTER(operation)                                                        \
  asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" \
               operation " [%0], [%1], 64, [%2];" ::"r"(to),                                \
               "r"(shared_address(terms)), "r"(its_barrier)                                 \
               : "memory")
#define STORE_ONE(type, letter, value)                                                       \
  asm volatile("st.async.weak" BYTES type " [%0], %1, [%2];" ::"r"(to), letter(value),       \
               "r"(its_barrier)                                                              \
               : "memory")
#define RED_ONE(operation, letter, value)                                                    \
  asm volatile("red.async.relaxed.cluster" BYTES operation " [%0], %1, [%2];" ::"r"(to),     \
               letter(value), "r"(its_barrier)                                               \
               : "memory")

struct RemoteForm {
  const char* name;
  unsigned bytes;
};
constexpr RemoteForm remote_forms[] = {
    {"st.async b32", 4},     {"st.async b64", 8},     {"st.async v2.b32", 8},
    {"st.async v2.b64", 16}, {"st.async v4.b32", 16}, {"red.async add.u32", 4},
    {"red.async add.s32", 4}, {"red.async add.u64", 8}, {"red.async min.u32", 4},
    {"red.async min.s32", 4}, {"red.async max.u32", 4}, {"red.async max.s32", 4},
    {"red.async inc.u32", 4}, {"red.async dec.u32", 4}, {"red.async and.b32", 4},
    {"red.async or.b32", 4},  {"red.async xor.b32", 4}, {"bulk add.u32", 64},
    {"bulk add.s32", 64},     {"bulk add.u64", 64},     {"bulk min.u32", 64},
    {"bulk min.s32", 64},     {"bulk max.u32", 64},     {"bulk max.s32", 64},
    {"bulk inc.u32", 64},     {"bulk dec.u32", 64},     {"bulk and.b32", 64},
    {"bulk or.b32", 64},      {"bulk xor.b32", 64}};

__device__ void send(int form, unsigned to, unsigned its_barrier, const unsigned char* terms) {
  const unsigned a = 0x81234567, b = 0x00fedcba, c = 0x7fffffff, d = 0x12;
  const unsigned long long wide = 0x8123456789abcdef, wider = 0x0fedcba987654321;
  switch (form) {
    case 0: STORE_ONE(".b32", "r", a); break;
    case 1: STORE_ONE(".b64", "l", wide); break;
    case 2:
      asm volatile("st.async.weak" BYTES ".v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to), "r"(a), "r"(b),
                   "r"(its_barrier) : "memory");
      break;
    case 3:
      asm volatile("st.async.weak" BYTES ".v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(wide),
                   "l"(wider), "r"(its_barrier) : "memory");
      break;
    case 4:
      asm volatile("st.async.weak" BYTES ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to), "r"(a),
                   "r"(b), "r"(c), "r"(d), "r"(its_barrier) : "memory");
      break;
    case 5: RED_ONE(".add.u32", "r", a); break;
    case 6: RED_ONE(".add.s32", "r", a); break;
    case 7: RED_ONE(".add.u64", "l", wide); break;
    case 8: RED_ONE(".min.u32", "r", a); break;
    case 9: RED_ONE(".min.s32", "r", a); break;
    case 10: RED_ONE(".max.u32", "r", a); break;
    case 11: RED_ONE(".max.s32", "r", a); break;
    case 12: RED_ONE(".inc.u32", "r", c); break;
    case 13: RED_ONE(".dec.u32", "r", d); break;
    case 14: RED_ONE(".and.b32", "r", a); break;
    case 15: RED_ONE(".or.b32", "r", a); break;
    case 16: RED_ONE(".xor.b32", "r", a); break;
    case 17: REDUCE_TO_CLUSTER(".add.u32"); break;
    case 18: REDUCE_TO_CLUSTER(".add.s32"); break;
    case 19: REDUCE_TO_CLUSTER(".add.u64"); break;
    case 20: REDUCE_TO_CLUSTER(".min.u32"); break;
    case 21: REDUCE_TO_CLUSTER(".min.s32"); break;
    case 22: REDUCE_TO_CLUSTER(".max.u32"); break;
    case 23: REDUCE_TO_CLUSTER(".max.s32"); break;
    case 24: REDUCE_TO_CLUSTER(".inc.u32"); break;
    case 25: REDUCE_TO_CLUSTER(".dec.u32"); break;
    case 26: REDUCE_TO_CLUSTER(".and.b32"); break;
    case 27: REDUCE_TO_CLUSTER(".or.b32"); break;
    case 28: REDUCE_TO_CLUSTER(".xor.b32"); break;
  }
}

/// Block 0 sends, block 1 expects `bytes` and shows its inbox. out[0]: whether the phase ends.
__global__ void remote_store(int form, unsigned bytes, unsigned offset, unsigned char* out) {
  __shared__ alignas(16) unsigned char inbox[128], terms[64];
  __shared__ uint64_t barrier;
  unsigned rank, its_inbox, its_barrier;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < 128; i += 128) inbox[i] = mixed(i + 7) % 199;
  if (threadIdx.x < 64) terms[threadIdx.x] = mixed(threadIdx.x + 300) % 211;
  if (threadIdx.x == 0) init(&barrier, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0 && rank == 1) expect(&barrier, bytes);
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(its_inbox) : "r"(shared_address(inbox)));
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(its_barrier) : "r"(shared_address(&barrier)));
  if (threadIdx.x == 0 && rank == 0) send(form, its_inbox + offset, its_barrier, terms);
  if (threadIdx.x == 0 && rank == 1) {
    out[0] = becomes_complete(&barrier, 0);
    for (int i = 0; i < 128 && out[0]; ++i) out[1 + i] = inbox[i];
  }
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

void remote_stores() {
  for (int form = 0; form < (int)(sizeof remote_forms / sizeof *remote_forms); ++form) {
    if (is_known()) continue;
    Device<unsigned char> out(std::vector<unsigned char>(129));
    launch_cluster(2, remote_store, form, remote_forms[form].bytes, 16u, (unsigned char*)out);
    if (printed_error(remote_forms[form].name)) continue;
    const std::vector<unsigned char> result = out.values();
    dump(name_of("%s, phase %d", remote_forms[form].name, result[0]), &result[1], 128);
  }
  for (const int form : {1, 2, 4}) {
    if (is_known()) continue;
    Device<unsigned char> out(std::vector<unsigned char>(129));
    launch_cluster(2, remote_store, form, remote_forms[form].bytes, 20u, (unsigned char*)out);
    if (printed_error(name_of("%s at +4", remote_forms[form].name))) continue;
    fact("%s at +4: phase %d", remote_forms[form].name, out.values()[0]);
  }
}

// Stores and reductions in the shared memory of another block that count at its mbarrier, and what
// else cuda::ptx has for clusters.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/ptx>
#include <initializer_list>

#include "expect.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned stored = 4 + 8 + 8 + 16 + 16;  // bytes

struct Inbox {
  alignas(16) unsigned four[4];
  alignas(16) double two[2];
  float one;
  alignas(8) float pair[2];
  int64_t wide;
  unsigned sum, least, bits, turns;
  uint64_t total;
  int most;
  alignas(16) unsigned added[32];
};

/// Each block fills the inbox of its neighbour.
__global__ void __cluster_dims__(2) send(Inbox* out) {
  __shared__ Inbox inbox;
  __shared__ alignas(16) unsigned terms[32];
  __shared__ uint64_t bar;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = ptx::get_sreg_cluster_ctarank();
  Inbox* const to = cluster.map_shared_rank(&inbox, rank ^ 1);
  uint64_t* const its_bar = cluster.map_shared_rank(&bar, rank ^ 1);
  terms[threadIdx.x] = threadIdx.x * (rank + 1);
  for (unsigned i = threadIdx.x; i < sizeof inbox / 4; i += 32) ((unsigned*)&inbox)[i] = 0;
  __syncthreads();
  inbox.added[threadIdx.x] = 100;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    inbox.sum = 5, inbox.least = 50, inbox.bits = 12, inbox.turns = 3, inbox.total = uint64_t{1} << 40;
    inbox.most = -7;
  }
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   stored + 5 * 4 + 8 + sizeof terms);
    ptx::st_async(&to->one, 1.5f + rank, its_bar);
    ptx::st_async(&to->wide, (int64_t{1} << 40) + rank, its_bar);
    ptx::st_async(&to->pair[0], {2.5f, 3.5f + rank}, its_bar);
    ptx::st_async(&to->two[0], {4.5, 5.5 + rank}, its_bar);
    ptx::st_async(&to->four[0], {6u, 7u, 8u, 9u + rank}, its_bar);
    ptx::red_async(ptx::op_add, &to->sum, 10u + rank, its_bar);
    ptx::red_async(ptx::op_add, &to->total, ~uint64_t{0}, its_bar);
    ptx::red_async(ptx::op_min, &to->least, 20u + rank, its_bar);
    ptx::red_async(ptx::op_max, &to->most, -3, its_bar);
    ptx::red_async(ptx::op_xor_op, &to->bits, 6u, its_bar);
    ptx::red_async(ptx::op_inc, &to->turns, 3u, its_bar);
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
        "[%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to->added)),
        "r"((unsigned)__cvta_generic_to_shared(terms)), "r"((unsigned)sizeof terms),
        "r"((unsigned)__cvta_generic_to_shared(its_bar))
        : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
  }
  if (threadIdx.x == 0) out[rank] = inbox;
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

__global__ void __cluster_dims__(2) registers(int* right) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  bool all = ptx::get_sreg_tid_x() == threadIdx.x && ptx::get_sreg_ntid_y() == 1;
  all &= ptx::get_sreg_ctaid_x() == blockIdx.x && ptx::get_sreg_nctaid_x() == gridDim.x;
  all &= ptx::get_sreg_cluster_ctaid_x() == blockIdx.x % 2 && ptx::get_sreg_cluster_nctaid_x() == 2;
  all &= ptx::get_sreg_clusterid_x() == blockIdx.x / 2 && ptx::get_sreg_nclusterid_x() == 2;
  all &= ptx::get_sreg_cluster_nctarank() == 2 && ptx::get_sreg_is_explicit_cluster();
  all &= ptx::get_sreg_laneid() == threadIdx.x && ptx::get_sreg_lanemask_eq() == 1u << threadIdx.x;
  all &= ptx::get_sreg_clock64() > 0 && ptx::get_sreg_globaltimer() > 0;
  all &= ptx::getctarank(ptx::space_cluster, cluster.map_shared_rank(&mine, 1)) == 1;
  ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  ptx::fence_proxy_alias();
  right[blockIdx.x * 32 + threadIdx.x] = all;
}

/// Copies by each thread arrive at the mbarrier when they have come: with .noinc as one of its
/// arrivals, else as one more.
template <bool noinc>
__global__ void cp_async_arrives(const int* x, int* y) {
  __shared__ int tile[32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, noinc ? 64 : 32);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])),
               "l"(x + threadIdx.x)
               : "memory");
  if (noinc) {
    ptx::cp_async_mbarrier_arrive_noinc(&bar);
  } else {
    ptx::cp_async_mbarrier_arrive(&bar);
  }
  const uint64_t token = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
  y[threadIdx.x] = tile[31 - threadIdx.x];
}

static void fixture() {
  Values<Inbox, 2> inboxes;
  send<<<2, 32>>>(inboxes);
  inboxes.get();
  for (int rank = 0; rank < 2; ++rank) {
    const Inbox& got = inboxes.host[rank];
    const int from = 1 - rank;
    EXPECT(got.one == 1.5f + from && got.wide == (1ll << 40) + from);
    EXPECT(got.pair[0] == 2.5f && got.pair[1] == 3.5f + from);
    EXPECT(got.two[0] == 4.5 && got.two[1] == 5.5 + from);
    EXPECT(got.four[0] == 6 && got.four[2] == 8 && got.four[3] == 9u + from);
    EXPECT(got.sum == 15u + from && got.total == (1ull << 40) - 1 && got.least == 20u + from);
    EXPECT(got.most == -3 && got.bits == 10 && got.turns == 0);
    EXPECT(got.added[0] == 100 && got.added[31] == 100u + 31 * (from + 1));
  }
  Values<int, 128> right;
  registers<<<4, 32>>>(right);
  int count = 0;
  for (int i = 0; i < 128; ++i) count += right.get()[i];
  EXPECT(count == 128);
  Values<int, 32> x, y;
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i * 7;
  x.set(host);
  for (const auto kernel : {cp_async_arrives<true>, cp_async_arrives<false>}) {
    cudaMemset(y, 0xff, sizeof y.host);
    kernel<<<1, 32>>>(x.device, y.device);
    EXPECT(y.get()[0] == 31 * 7 && y.host[31] == 0);
  }
}

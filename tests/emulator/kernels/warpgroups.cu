// What Hopper has for warpgroups and clusters besides its matrix instructions, in inline PTX.
#include "expect.cuh"

__device__ unsigned elected(unsigned mask, unsigned* lane) {
  unsigned is_leader;
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "elect.sync %0|P1, %2;\n"
      "selp.b32 %1, 1, 0, P1;\n"
      "}\n"
      : "=r"(*lane), "=r"(is_leader)
      : "r"(mask));
  return is_leader;
}

/// One leader, whom all lanes know, and the same one each time.
__global__ void leaders(int* right) {
  const unsigned mask = threadIdx.x < 12 ? 0x00000fff : 0xfffff000;
  unsigned lane, again;
  const unsigned is_leader = elected(mask, &lane);
  const bool same = elected(mask, &again) == is_leader && again == lane;
  const unsigned leader_lanes = __ballot_sync(mask, is_leader);
  right[threadIdx.x] = same && (mask >> lane & 1) && leader_lanes == 1u << lane;
}

template <int registers>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(registers));
}
template <int registers>
__device__ void get_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(registers));
}

/// 24 + 240 + 240 registers for a thread of each warpgroup, where 3 * 168 were.
__global__ void __launch_bounds__(384) registers(int* right) {
  if (threadIdx.x < 128) {
    give_registers<24>();
  } else {
    get_registers<240>();
  }
  right[threadIdx.x] = 1;
}

__global__ void __cluster_dims__(2, 2, 1) cluster_registers(int* right) {
  unsigned rank, blocks, x, y, of_x, nx, clusters, is_explicit;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %cluster_nctarank;" : "=r"(blocks));
  asm("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.y;" : "=r"(x), "=r"(y));
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%nclusterid.x;" : "=r"(of_x), "=r"(clusters));
  asm("mov.u32 %0, %%is_explicit_cluster;" : "=r"(is_explicit));
  right[blockIdx.y * gridDim.x + blockIdx.x] =
      rank == blockIdx.x % 2 + 2 * (blockIdx.y % 2) && blocks == 4 && x == blockIdx.x % 2 &&
      y == blockIdx.y % 2 && nx == 2 && of_x == blockIdx.x / 2 && clusters == 2 && is_explicit;
}

__global__ void __cluster_dims__(2) exchange(int* right) {
  extern __shared__ int mine[];
  mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const int* other;
  asm("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(mine), "r"(blockIdx.x ^ 1));
  unsigned owner;
  asm("getctarank.u64 %0, %1;" : "=r"(owner) : "l"(other));
  unsigned window, same_owner;
  int same_value;
  const unsigned here = (unsigned)__cvta_generic_to_shared(mine + threadIdx.x);
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(window) : "r"(here), "r"(blockIdx.x ^ 1));
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(same_owner) : "r"(window));
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(same_value) : "r"(window));
  const int value = other[threadIdx.x];
  right[blockIdx.x * 32 + threadIdx.x] =
      value == (int)((blockIdx.x ^ 1) * 100 + threadIdx.x) && owner == (blockIdx.x ^ 1) &&
      same_owner == owner && same_value == value;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#error "the emulator is an sm_90a"
#endif

static void fixture() {
  Values<int, 384> right;
  leaders<<<1, 32>>>(right);
  for (int i = 0; i < 32; ++i) EXPECT(right.get()[i] == 1);
  registers<<<1, 384>>>(right);
  for (int i = 0; i < 384; ++i) EXPECT(right.get()[i] == 1);
  Values<int, 8> of_blocks;
  cluster_registers<<<dim3(4, 2), 1>>>(of_blocks);
  for (int i = 0; i < 8; ++i) EXPECT(of_blocks.get()[i] == 1);
  Values<int, 64> of_threads;
  exchange<<<2, 32, 32 * sizeof(int)>>>(of_threads);
  for (int i = 0; i < 64; ++i) EXPECT(of_threads.get()[i] == 1);
}

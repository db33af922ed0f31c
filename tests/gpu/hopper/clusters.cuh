#pragma once
#include "tensors.cuh"

/// Each block loads a box and sends it to the blocks of its mask, at its own rank's place.
__global__ void multicast(const __grid_constant__ CUtensorMap map, int masks, int boxes,
                          unsigned char* out) {
  unsigned char* const tile = window();
  __shared__ uint64_t barrier;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < 8192; i += 128) tile[i] = 0xee;
  if (threadIdx.x == 0) init(&barrier, 1);
  fence_async();
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  __shared__ bool arrives;
  if (threadIdx.x == 0) {
    expect(&barrier, boxes >> 4 * rank & 15 ? 1024 * (boxes >> 4 * rank & 15) : 0);
    const unsigned short mask = masks >> 4 * rank & 15;
    const unsigned long long policy = 0x14f0000000000000;
    if (mask)
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
          ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5, %6;" ::"r"(
              shared_address(tile + 1024 * rank)),
          "l"(&map), "r"(shared_address(&barrier)), "r"(0), "r"(8 * (int)rank), "h"(mask),
          "l"(policy)
          : "memory");
    arrives = becomes_complete(&barrier, 0);
  }
  __syncthreads();
  is_complete(&barrier, 0);
  unsigned char* const mine = out + rank * 8192;
  for (int i = threadIdx.x; i < 8192 && arrives; i += 128) mine[i] = tile[i];
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void remote(unsigned* out) {
  __shared__ uint64_t barrier;
  __shared__ alignas(16) unsigned sent[64], received[64];
  unsigned rank, other_barrier, other_received, back;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < 64; i += 128) sent[i] = 100 * rank + i, received[i] = 7;
  if (threadIdx.x == 0) init(&barrier, 2);
  fence_async();
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(other_barrier)
               : "r"(shared_address(&barrier)), "r"(rank ^ 1));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(other_received)
               : "r"(shared_address(received)), "r"(rank ^ 1));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(back) : "r"(other_received));
  if (threadIdx.x == 0) {
    expect(&barrier, sizeof received);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(other_barrier)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(other_received),
        "r"(shared_address(sent)), "r"((unsigned)sizeof sent), "r"(other_barrier)
        : "memory");
    out[2 * rank] = becomes_complete(&barrier, 0);
    out[2 * rank + 1] = back;
  }
  __syncthreads();
  is_complete(&barrier, 0);
  if (threadIdx.x < 64) out[4 + 64 * rank + threadIdx.x] = received[threadIdx.x];
  if (threadIdx.x == 0 && rank == 0) out[132] = other_received - shared_address(received);
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

template <class Kernel, class... Arguments>
void launch_cluster(int blocks, Kernel kernel, Arguments... arguments) {
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(128);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}

void clusters() {
  Tensor tensor;
  tensor.dims[0] = 64, tensor.dims[1] = 32;
  Device<unsigned char> data(numbers(tensor, tensor.bytes()));
  CUtensorMap map;
  encode(tensor, data, map);
  const int cases[][2] = {{0x21, 0x11}, {0x33, 0x22}, {0x12, 0x11}, {0x03, 0x11}, {0x13, 0x12}};
  for (const auto& one : cases) {
    Device<unsigned char> out(2 * 8192);
    cudaMemset(out, 0, 2 * 8192);
    launch_cluster(2, multicast, map, one[0], one[1], (unsigned char*)out);
    const std::vector<unsigned char> result = out.values();
    dump(name_of("masks %02x", one[0]), result.data(), result.size());
  }
  Device<unsigned> out(133);
  launch_cluster(2, remote, (unsigned*)out);
  const std::vector<unsigned> result = out.values();
  fact("remote: phases %u %u, ranks %u %u", result[0], result[2], result[1], result[3]);
  dump("remote data", &result[4], 512);
  fact("chip: distance of two blocks' shared memory: %u", result[132]);
}


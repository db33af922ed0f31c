// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  const int rank = block.thread_rank();
  bool right = block.size() == 64 && warp.size() == 32 && tile.size() == 8;
  right &= (int)warp.thread_rank() == rank % 32 && (int)tile.thread_rank() == rank % 8;
  right &= (int)tile.meta_group_rank() == rank % 32 / 8 && tile.meta_group_size() == 4;
  right &= (int)warp.meta_group_rank() == rank / 32 && warp.meta_group_size() == 2;
  right &= tile.shfl(rank, 3) == rank / 8 * 8 + 3;
  right &= tile.shfl_down(rank, 1) == (rank % 8 == 7 ? rank : rank + 1);
  right &= tile.shfl_up(rank, 1) == (rank % 8 == 0 ? rank : rank - 1);
  right &= tile.shfl_xor(rank, 4) == (rank ^ 4);
  right &= tile.any(rank == 9) == (rank / 8 == 1) && tile.all(rank < 64);
  right &= tile.ballot(rank % 8 < 2) == 3 && tile.match_any(rank % 2) == (rank % 2 ? 0xaa : 0x55);
  right &= cg::reduce(tile, rank, cg::plus<int>()) == rank / 8 * 64 + 28;
  right &= cg::reduce(warp, rank, cg::greater<int>()) == rank / 32 * 32 + 31;
  right &= cg::reduce(tile, (float)rank, cg::less<float>()) == rank / 8 * 8;
  tile.sync();
  block.sync();
  cg::sync(block);
  out[rank] = right;
}
__global__ void coalesced(int* out) {
  out[threadIdx.x] = -1;
  if (threadIdx.x % 3 == 0) {  // lanes 0, 3, ..., 30: eleven of them
    const cg::coalesced_group group = cg::coalesced_threads();
    bool right = group.size() == 11 && group.thread_rank() == threadIdx.x / 3;
    right &= group.shfl((int)threadIdx.x, 2) == 6;
    right &= group.ballot(threadIdx.x < 7) == 7;
    right &= cg::reduce(group, 1, cg::plus<int>()) == 11;
    right &= cg::reduce(group, (int)threadIdx.x, cg::greater<int>()) == 30;
    out[threadIdx.x] = right;
  }
}
__global__ void parts(int* out) {
  const int lane = threadIdx.x % 32;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto thirds = cg::labeled_partition(warp, lane % 3);  // of 11, 11 and 10 lanes
  bool right = thirds.size() == (lane % 3 == 2 ? 10 : 11);
  right &= (int)thirds.thread_rank() == lane / 3;
  right &= (int)thirds.meta_group_rank() == lane % 3 && thirds.meta_group_size() == 3;
  right &= thirds.shfl(lane, 1) == lane % 3 + 3;
  const auto halves = cg::binary_partition(thirds, lane < 6);
  right &= halves.size() == (lane < 6 ? 2 : thirds.size() - 2);
  right &= (int)halves.meta_group_rank() == (lane >= 6) && halves.meta_group_size() == 2;
  right &= cg::reduce(halves, 1, cg::plus<int>()) == (int)halves.size();
  const auto whole = cg::binary_partition(warp, true);
  right &= whole.size() == 32 && whole.meta_group_size() == 1;
  out[threadIdx.x] = right;
}
__global__ void whole_grid(int* out, int* flags) {
  const cg::grid_group grid = cg::this_grid();
  flags[grid.thread_rank()] = 1;
  grid.sync();
  int sum = 0;
  for (unsigned i = 0; i < grid.size(); ++i) sum += flags[i];
  out[grid.thread_rank()] = sum;
}

static void fixture() {
  Values<int, 64> out, flags;
  tiles<<<1, 64>>>(out.device);
  int right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i] == 1;
  EXPECT(right == 64);
  parts<<<1, 64>>>(out.device);
  right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i] == 1;
  EXPECT(right == 64);
  coalesced<<<1, 32>>>(out.device);
  EXPECT(out.get()[0] == 1 && out.host[30] == 1 && out.host[1] == -1);
  int* pointer = out.device;
  int* flag_pointer = flags.device;
  void* arguments[] = {&pointer, &flag_pointer};
  EXPECT(cudaLaunchCooperativeKernel((void*)whole_grid, dim3(4), dim3(16), arguments) ==
         cudaSuccess);
  EXPECT(out.get()[0] == 64 && out.host[63] == 64);
}

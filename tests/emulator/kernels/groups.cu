// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

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
struct Wide {
  int values[5];
};
__global__ void wide(int* out) {
  const int rank = threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const uint4 next = tile.shfl_down(make_uint4(rank, 2 * rank, 3, 4), 1);
  const unsigned from = rank % 8 == 7 ? rank : rank + 1;
  bool right = next.x == from && next.y == 2 * from && next.z == 3 && next.w == 4;
  right &= tile.shfl_xor((short)rank, 1) == (rank ^ 1) && tile.shfl(0.5 * rank, 0) == rank / 8 * 4;
  if (rank % 3 == 0) {
    const cg::coalesced_group third = cg::coalesced_threads();
    right &= third.shfl(Wide{{0, 0, 0, 0, rank}}, 1).values[4] == (rank < 32 ? 3 : 36);
  }
  out[rank] = right;
}
/// Bits of the ranks whose threads call it, summed up in shared memory between two meetings.
__device__ unsigned ranks(cg::thread_group group, unsigned* sum) {
  if (group.thread_rank() == 0) *sum = 0;
  group.sync();
  atomicAdd(sum, 1u << group.thread_rank() % 32);
  cg::sync(group);
  return *sum;
}
__global__ void any_group(int* out) {
  __shared__ unsigned sums[64];
  const unsigned rank = threadIdx.x;
  const cg::thread_block block = cg::this_thread_block();
  bool right = ranks(block, &sums[0]) == 0xfffffffeu;  // 2 * 0xffffffff: two warps
  block.sync();
  const cg::thread_group warp = cg::tiled_partition(block, 32);
  right &= warp.size() == 32 && warp.thread_rank() == rank % 32;
  const cg::thread_group tile = cg::tiled_partition(warp, 4);
  right &= tile.size() == 4 && cg::group_size(block) == 64 && cg::thread_rank(tile) == rank % 4;
  right &= ranks(tile, &sums[rank / 4]) == 0xf;
  block.sync();
  right &= ranks(cg::tiled_partition<16>(block), &sums[rank / 16]) == 0xffff;
  block.sync();
  if (rank % 3 == 0 && rank < 32) {  // 11 threads: three fours, the last one short of one
    const cg::coalesced_group third = cg::coalesced_threads();
    const cg::coalesced_group four = cg::tiled_partition(third, 4);
    right &= four.size() == (rank < 24 ? 4 : 3) && four.thread_rank() == rank / 3 % 4;
    right &= four.meta_group_rank() == rank / 12 && four.meta_group_size() == 3;
    right &= four.shfl((int)rank, 1) == (int)rank / 12 * 12 + 3;
    right &= ranks(four, &sums[rank / 12]) == (rank < 24 ? 0xf : 7);
  }
  out[rank] = right;
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
/// `a` then `b`, as the digits of a number: no two orders give the same.
struct Joined {
  int digits, scale;
};
__device__ Joined join(Joined a, Joined b) {
  return {a.digits * b.scale + b.digits, a.scale * b.scale};
}
__global__ void scans(int* out) {
  const int rank = threadIdx.x;
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const auto wide = cg::tiled_partition<64>(block);
  const int in_tile = rank % 8;
  bool right = cg::inclusive_scan(tile, rank) == (in_tile + 1) * (2 * rank - in_tile) / 2;
  right &= cg::exclusive_scan(tile, 1) == in_tile;
  right &= cg::inclusive_scan(wide, 2, cg::plus<int>()) == 2 * rank + 2;
  right &= cg::exclusive_scan(wide, 0.5f) == 0.5f * rank;
  right &= cg::inclusive_scan(tile, rank * 5 % 8, cg::greater<int>()) ==  // 0 5 2 7 4 1 6 3
           (in_tile == 0 ? 0 : in_tile < 3 ? 5 : 7);
  const Joined joined = cg::inclusive_scan(tile, Joined{in_tile + 1, 10}, join);
  int digits = 0;
  for (int i = 1; i <= in_tile + 1; ++i) digits = digits * 10 + i;
  right &= joined.digits == digits;
  if (rank % 3 == 0) {
    const cg::coalesced_group third = cg::coalesced_threads();
    right &= cg::exclusive_scan(third, 2) == 2 * (int)third.thread_rank();
  }
  out[rank] = right;
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
  wide<<<1, 64>>>(out.device);
  right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i] == 1;
  EXPECT(right == 64);
  any_group<<<1, 64>>>(out.device);
  right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i] == 1;
  EXPECT(right == 64);
  parts<<<1, 64>>>(out.device);
  right = 0;
  for (int i = 0; i < 64; ++i) right += out.get()[i] == 1;
  EXPECT(right == 64);
  scans<<<1, 64>>>(out.device);
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

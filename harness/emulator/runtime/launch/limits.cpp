#include "emulator/runtime/launch/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace kata::emulator {
namespace {

std::optional<Refusal> check_extent(const char* what, const Triple& wanted, const Triple& limit) {
  const unsigned values[] = {wanted.x, wanted.y, wanted.z};
  const unsigned limits[] = {limit.x, limit.y, limit.z};
  for (int i = 0; i < 3; ++i) {
    if (values[i] == 0) {
      return Refusal{cudaErrorInvalidConfiguration,
                     fmt::format("{}.{} is 0; it must be at least 1 (a ceiling division that "
                                 "rounds down, or a 64-bit number cut to 32 bits?)",
                                 what, "xyz"[i])};
    }
    if (values[i] > limits[i]) {
      return Refusal{
          cudaErrorInvalidConfiguration,
          fmt::format("{}.{} is {}; the limit is {}", what, "xyz"[i], values[i], limits[i])};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_configuration(const LaunchConfig& config, std::size_t dynamic_limit) {
  if (auto refusal = check_extent("the grid", config.grid, limits::grid)) return refusal;
  const Triple& block = config.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > limits::threads_per_block) {
    return Refusal{cudaErrorInvalidConfiguration,
                   fmt::format("a block of {} x {} x {} = {} threads; the limit is {}", block.x,
                               block.y, block.z, threads, limits::threads_per_block)};
  }
  if (auto refusal = check_extent("the block", block, limits::block)) return refusal;
  if (config.shared_bytes <= dynamic_limit) return std::nullopt;
  if (config.shared_bytes > limits::shared_per_block_opt_in) {
    return Refusal{cudaErrorInvalidValue,
                   fmt::format("{} bytes of dynamic shared memory; a block of this device has {}",
                               config.shared_bytes, limits::shared_per_block_opt_in)};
  }
  return Refusal{
      cudaErrorInvalidValue,
      fmt::format("{} bytes of dynamic shared memory; without cudaFuncSetAttribute(kernel, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) the limit is {}",
                  config.shared_bytes, dynamic_limit)};
}

std::optional<Refusal> check_cluster(const LaunchConfig& config, unsigned limit) {
  const Triple &grid = config.grid, &cluster = config.cluster;
  const unsigned blocks = cluster.x * cluster.y * cluster.z;
  if (blocks > limit) {
    return Refusal{cudaErrorInvalidClusterSize,
                   fmt::format("a cluster of {} x {} x {} = {} blocks; the limit is {}{}",
                               cluster.x, cluster.y, cluster.z, blocks, limit,
                               limit < limits::blocks_per_cluster_opt_in
                                   ? ", and 16 with cudaFuncSetAttribute(kernel, "
                                     "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
                                   : "")};
  }
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z) {
    return Refusal{cudaErrorInvalidClusterSize,
                   fmt::format("clusters of {} x {} x {} blocks do not divide a grid of {} x {} x "
                               "{}: round the grid up to whole clusters",
                               cluster.x, cluster.y, cluster.z, grid.x, grid.y, grid.z)};
  }
  if (config.cooperative)
    return Refusal{cudaErrorNotSupported, "the emulator has no cooperative launch of clusters"};
  return std::nullopt;
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > limits::threads_per_block ||
      shared_bytes > limits::shared_per_block_opt_in)
    return 0;
  const unsigned whole_warps = (threads + 31) / 32 * 32;
  const std::size_t shared = shared_bytes + limits::shared_reserved_per_block;
  return std::min({limits::blocks_per_multiprocessor,
                   limits::threads_per_multiprocessor / whole_warps,
                   static_cast<unsigned>(limits::shared_per_multiprocessor / shared)});
}

std::optional<Refusal> check_cooperative(const LaunchConfig& config, std::size_t static_bytes) {
  const Triple &grid = config.grid, &block = config.block;
  const unsigned threads = block.x * block.y * block.z;
  const unsigned each = resident_blocks(threads, static_bytes + config.shared_bytes);
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::uint64_t fitting = std::uint64_t{each} * limits::multiprocessors;
  if (blocks <= fitting) return std::nullopt;
  return Refusal{cudaErrorCooperativeLaunchTooLarge,
                 fmt::format("a cooperative launch of {} blocks; at most {} of {} threads are "
                             "resident at once ({} multiprocessors with {} each)",
                             blocks, fitting, threads, limits::multiprocessors, each)};
}

}  // namespace kata::emulator

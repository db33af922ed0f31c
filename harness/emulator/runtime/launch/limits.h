#pragma once
// The device that the emulator is: compute capability 9.0 with an H200's figures.

#include <cstddef>
#include <optional>
#include <string>

#include "emulator/abi.h"
#include "emulator/runtime/memory/cuda_types.h"

namespace kata::emulator::limits {

inline constexpr unsigned threads_per_block = 1024;
inline constexpr Triple block{1024, 1024, 64};
inline constexpr Triple grid{0x7fffffff, 65535, 65535};
inline constexpr std::size_t shared_per_block = 48 << 10;
inline constexpr std::size_t shared_per_block_opt_in = 227 << 10;
inline constexpr std::size_t shared_per_multiprocessor = 228 << 10;
inline constexpr std::size_t shared_reserved_per_block = 1 << 10;
inline constexpr std::size_t texture_alignment = 512;
inline constexpr std::size_t linear_texture = 1 << 28;  ///< texels
inline constexpr std::size_t texture_pitch_alignment = 32;
inline constexpr unsigned multiprocessors = 132;
inline constexpr unsigned threads_per_multiprocessor = 2048;
inline constexpr unsigned blocks_per_multiprocessor = 32;
inline constexpr unsigned blocks_per_cluster = 8;
inline constexpr unsigned blocks_per_cluster_opt_in = 16;

}  // namespace kata::emulator::limits

namespace kata::emulator {

/// What is wrong with a launch, and the error that a device gives.
struct Refusal {
  cudaError_t error;
  std::string reason;
};

/// `dynamic_limit`: the dynamic shared memory that the kernel may ask for.
std::optional<Refusal> check_configuration(const LaunchConfig& config, std::size_t dynamic_limit);

std::optional<Refusal> check_cluster(const LaunchConfig& config, unsigned limit);

/// Blocks that one multiprocessor holds at once; 0 if not even one fits.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

/// Null if all blocks fit on the device at once.
std::optional<Refusal> check_cooperative(const LaunchConfig& config, std::size_t static_bytes);

}  // namespace kata::emulator

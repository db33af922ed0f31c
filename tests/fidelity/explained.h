#pragma once
// Where the emulator's counters of a rung are not the H200's, and why.

#include <cstddef>
#include <string>
#include <vector>

namespace kata::test {

struct Explained {
  std::string rung, counter;
  std::size_t launches;  ///< in which it differs
  double worst;          ///< of what the H200 counted
  const char* why;
};

// PTX and machine code of nvcc 13.0 for sm_90a show what it made of the source.
inline constexpr const char* switched_off =
    "the device counts an instruction of which predicates have switched off every lane";
inline constexpr const char* with_copies =
    "the device counts more with each copy, commit and wait: 4 where copies.cu has one load";

/// Rungs with a barrier of the whole grid. Each block waits at it by loads of a word in global
/// memory: one at least, and how many varies from run to run (between the runs in which ncu takes
/// requests and sectors, too). The program does not ask for them, and the emulator has none.
inline const std::vector<std::string> with_grid_barrier{"softmax/5_read_once",
                                                        "reduce_sum/cooperative_grid"};

inline const std::vector<Explained> explained_rungs{
    {"reduce_max/2_sequential", "shared load instructions", 9, 0.8581, switched_off},
    {"reduce_max/2_sequential", "shared store instructions", 9, 0.7750, switched_off},
    {"reduce_sum/2_interleaved", "shared load instructions", 9, 0.3391, switched_off},
    {"reduce_sum/2_interleaved", "shared store instructions", 9, 0.3063, switched_off},
    {"reduce_sum/3_strided", "shared load instructions", 9, 0.8791, switched_off},
    {"reduce_sum/3_strided", "shared store instructions", 9, 0.7750, switched_off},
    {"reduce_sum/4_sequential", "shared load instructions", 9, 0.8581, switched_off},
    {"reduce_sum/4_sequential", "shared store instructions", 9, 0.7750, switched_off},
    {"reduce_sum/5_two_per_thread", "shared load instructions", 9, 0.8581, switched_off},
    {"reduce_sum/5_two_per_thread", "shared store instructions", 9, 0.7750, switched_off},
    {"sgemm/9_async_copy", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/9_async_copy", "shared store instructions", 9, 0.5000, switched_off},
    {"sgemm/10_zigzag", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/10_zigzag", "shared store instructions", 9, 0.5000, switched_off},
    {"transpose/3_shared_tile", "shared store instructions", 8, 0.9688, switched_off},
    {"transpose/4_padded_tile", "shared store instructions", 8, 0.9688, switched_off},
    {"transpose/5_swizzled_tile", "shared store instructions", 8, 0.9688, switched_off},
    {"transpose/6_four_by_four", "shared store instructions", 7, 0.9922, switched_off},
    {"transpose/7_whole_sectors", "shared load instructions", 7, 0.9917, switched_off},
    {"transpose/7_whole_sectors", "shared store instructions", 7, 0.9926, switched_off},
};

inline const std::vector<Explained> explained_candidates{};

}  // namespace kata::test

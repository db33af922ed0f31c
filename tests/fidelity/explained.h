#pragma once
// Where the emulator's counters of a rung are not the device's, and why.

#include <cstddef>
#include <string>
#include <vector>

namespace kata::test {

struct Explained {
  std::string rung, counter;
  std::size_t launches;  ///< in which it differs
  double worst;          ///< of what the device counted
  const char* why;
};

// PTX and machine code of nvcc 13.0 for sm_90a show what it made of the source.
inline constexpr const char* switched_off =
    "the device counts an instruction of which predicates have switched off every lane";
inline constexpr const char* branched =
    "the device branches round instructions that the emulator takes for predicated";
inline constexpr const char* with_copies =
    "the device counts more with each copy, commit and wait: 4 where copies.cu has one load";

/// Rungs with a barrier of the whole grid. Each block waits at it by loads of a word in global
/// memory: one at least, and how many varies from run to run (between the runs in which ncu takes
/// requests and sectors, too). The program does not ask for them, and the emulator has none.
inline const std::vector<std::string> with_grid_barrier{
    "softmax/7_grid_barrier", "softmax/8_shared_memory", "softmax/9_last_first",
    "reduce_sum/cooperative_grid"};

inline constexpr const char* read_where_stored =
    "at the edges nvcc reads an element from shared memory only in the lanes that store it";

inline const std::vector<Explained> explained_rungs{
    {"sgemm/11_async_copy", "shared load instructions", 9, 0.6522, with_copies},
    {"sgemm/11_async_copy", "shared store instructions", 9, 0.5000, switched_off},
    {"sgemm/12_operand_prefetch", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/12_operand_prefetch", "shared store instructions", 9, 0.5000, switched_off},
    {"sgemm/13_serpentine", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/13_serpentine", "shared store instructions", 9, 0.5000, switched_off},
    {"sgemm/14_split_k", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/14_split_k", "shared store instructions", 8, 0.5000, switched_off},
    {"sgemm/15_padded_copy", "shared load instructions", 9, 0.6383, with_copies},
    {"sgemm/15_padded_copy", "shared store instructions", 8, 0.5000, switched_off},
    {"sgemm/16_register_banks", "shared load instructions", 9, 0.5413, with_copies},
    {"sgemm/16_register_banks", "shared load wavefronts", 8, 0.1789, read_where_stored},
    {"sgemm/16_register_banks", "shared store instructions", 8, 0.4286, switched_off},
    {"softmax_rows/6_shared_memory", "shared load instructions", 1, 0.9231, branched},
    {"softmax_rows/6_shared_memory", "shared store instructions", 1, 0.4800, switched_off},
    {"softmax_rows/7_registers_and_shared", "shared load instructions", 1, 0.3077, branched},
    {"transpose/6_four_by_four", "shared load instructions", 1, 0.7778, branched},
    {"transpose/7_whole_sectors", "shared load instructions", 8, 0.7778, switched_off},
    {"transpose/8_down_the_columns", "shared load instructions", 8, 0.7778, switched_off},
    {"transpose/9_tile_shapes", "shared load instructions", 8, 0.7778, switched_off},
};

inline constexpr const char* loop_of_atomics =
    "an atomicAdd() of a float in shared memory is a loop of loads and compare-and-swaps there";
inline constexpr const char* in_registers =
    "nvcc knows that shared and global memory never overlap, and keeps a variable in a register";
inline constexpr const char* of_textures = "the device counts fetches of textures apart";
inline constexpr const char* one_of_two =
    "of the two loads of a conditional expression nvcc makes one, with a chosen address";
inline constexpr const char* other_unrolling =
    "how often the loop is unrolled, and where the rest goes, is not what the emulator takes it to "
    "be";
inline constexpr const char* either_way =
    "lanes of one warp copy or store: the device switches lanes off where the emulator branches";

inline const std::vector<Explained> explained_candidates{
    {"reduce_max/last_block", "global load requests", 1, 0.0013, other_unrolling},
    {"reduce_max/one_warp", "global load requests", 3, 0.2727, other_unrolling},
    {"reduce_max/one_warp", "global load sectors", 2, 0.0857, other_unrolling},
    {"reduce_max/unrolled_template", "global load requests", 8, 0.1250, one_of_two},
    {"reduce_max/unrolled_template", "global load sectors", 8, 0.1250, one_of_two},
    {"reduce_sum/block_atomics", "shared load conflicts", 6, 1.0000, loop_of_atomics},
    {"reduce_sum/block_atomics", "shared load instructions", 9, 0.9964, loop_of_atomics},
    {"reduce_sum/block_atomics", "shared load wavefronts", 9, 0.9949, loop_of_atomics},
    {"reduce_sum/double_accumulation", "shared load instructions", 9, 0.6667, switched_off},
    {"reduce_sum/double_accumulation", "shared store instructions", 9, 0.5862, switched_off},
    {"sgemm/async_tiles", "shared load instructions", 9, 0.2308, with_copies},
    {"sgemm/async_tiles", "shared store conflicts", 3, 0.0035, either_way},
    {"sgemm/async_tiles", "shared store instructions", 4, 0.3333, switched_off},
    {"sgemm/async_tiles", "shared store wavefronts", 6, 0.0171, either_way},
    {"sgemv/texture_and_ldg", "global load requests", 9, 1.0000, of_textures},
    {"sgemv/texture_and_ldg", "global load sectors", 9, 1.0000, of_textures},
    {"softmax/one_warp_double", "global load requests", 1, 0.1212, other_unrolling},
    {"softmax/online_pairs", "global load sectors", 3, 0.0151, other_unrolling},
    {"softmax_rows/cooperative_groups", "global load requests", 2, 0.2500, other_unrolling},
    {"softmax_rows/cooperative_groups", "global load sectors", 2, 0.1600, other_unrolling},
    {"softmax_rows/row_in_shared", "shared load instructions", 10, 31875.6667, in_registers},
    {"softmax_rows/row_in_shared", "shared load wavefronts", 10, 47814.0000, in_registers},
    {"softmax_rows/row_in_shared", "shared store instructions", 9, 30000.6667, in_registers},
    {"softmax_rows/row_in_shared", "shared store wavefronts", 9, 30000.6667, in_registers},
    {"transpose/dynamic_shared", "shared load instructions", 6, 0.9583, switched_off},
    {"transpose/dynamic_shared", "shared store instructions", 8, 0.9688, switched_off},
};

}  // namespace kata::test

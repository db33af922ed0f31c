#pragma once
// 32-bit addresses of shared memory, as PTX has them (ld.shared, shared::cta, shared::cluster): the
// low 20 bits are an offset in a block's shared memory. Bits 24 and above are 0 for the block's
// own, which is what shared::cta addresses are, and 1 + its rank for a block of the cluster.

#include <cstdint>

namespace kata::emulator {

class Block;

/// Where that address lies for the running thread's block. An address of no block of the cluster
/// lies nowhere: an access to it is out of bounds.
std::uintptr_t from_shared_window(std::uint32_t address);

/// The address of this byte of shared memory: of the running thread's block, or of another one of
/// its cluster. Of a byte that is in none of them: a number that from_shared_window() refuses.
std::uint32_t to_shared_window(std::uintptr_t address);

/// The byte whose shared::cta address has these 18 low bits, which is what a wgmma descriptor
/// keeps. Dynamic memory begins at a multiple of 2^18, and static variables where the largest
/// dynamic memory would end; where both have such a byte, it is the dynamic one.
std::uintptr_t from_descriptor_address(std::uint32_t low_bits);

/// The block whose shared memory the byte is in: the running thread's or one of its cluster. Null:
/// it is in none of them.
Block* block_of_shared(std::uintptr_t address);

}  // namespace kata::emulator

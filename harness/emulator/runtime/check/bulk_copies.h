#pragma once
// Bulk copies (run/bulk_copy.h) as accesses of the running thread, in the async proxy: checked
// where they are issued. `code` is the address that their instruction returns to.

#include <cstdint>
#include <vector>

#include "emulator/runtime/run/bulk_copy.h"

namespace kata::emulator {

/// To shared memory of the running thread's block or of another of its cluster, from global memory
/// or from `staged`. The bytes arrive with the present phase of the mbarrier, which is in the same
/// block as they and counts `bytes` of them.
void issue_load(BulkCopy copy, std::uintptr_t mbarrier, std::int64_t bytes, const void* code);

/// Its bytes are there: the running thread has waited for them.
void deliver_load(const BulkCopy& copy);

/// From shared memory of the block to global memory, in the bulk group that is open.
void issue_store(const BulkCopy& copy, const void* code);

/// The bulk group that is open reads these pieces' sources, in shared memory of the block, and
/// something else writes what comes of them.
void issue_bulk_read(const std::vector<BulkPiece>& pieces, const void* code);

/// A copy that is over at once reads these bytes, in shared memory of the block.
void check_bulk_source(std::uintptr_t address, unsigned bytes, const void* code);

void commit_bulk_group();
/// All groups of the running thread have read shared memory but the latest ones.
void wait_for_bulk_groups(unsigned groups_left);

}  // namespace kata::emulator

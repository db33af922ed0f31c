#pragma once
// The arithmetic of wgmma: sums in double precision, rounded once; integers exact; of FP8 the short
// sums of a Hopper.

#include <cstdint>
#include <vector>

#include "emulator/runtime/run/warpgroups.h"

namespace kata::emulator::ptx {

inline constexpr unsigned wgmma_rows = 64;

/// B is packed: columns in groups of 8, each group by rows of k.
inline std::size_t packed_at(unsigned k_of_matrix, unsigned k, unsigned column) {
  return (static_cast<std::size_t>(column / 8) * k_of_matrix + k) * 8 + column % 8;
}

/// D (64 x n, by rows) = +-A B (+ D). A is 64 x k by rows.
void multiply_matrices(const MatrixIssue& issue, const double* a, const double* packed_b,
                       MatrixValues& d);

/// The elements in 16 bytes.
void decode(MatrixElement type, const void* from, double* to);
unsigned elements_in_16_bytes(MatrixElement type);

}  // namespace kata::emulator::ptx

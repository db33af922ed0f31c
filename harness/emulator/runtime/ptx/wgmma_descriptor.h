#pragma once
// Where the elements of a matrix lie in shared memory, as wgmma's descriptors say (PTX
// ISA 9.7.15.5, matrix descriptor; CUTLASS's GmmaDescriptor has the same fields).

#include <cstdint>
#include <vector>

#include "emulator/runtime/run/async_reads.h"
#include "emulator/runtime/run/warpgroups.h"

namespace kata::emulator::ptx {

/// A of a wgmma has 64 rows, B n columns: its `length`. Along K it has `depth` elements.
struct DescribedMatrix {
  std::uint64_t descriptor;
  MatrixElement type;
  unsigned length, depth;
  bool transposed;  ///< neighbours along M or N lie together, not those along K
};
/// Of the descriptor's swizzle: bytes of a row that it permutes; 16 without one.
unsigned swizzle_span(std::uint64_t descriptor);
DescribedMatrix matrix_a(const MatrixIssue& issue);
DescribedMatrix matrix_b(const MatrixIssue& issue);

/// Its 16-byte cells: by rows or columns, then along K; if transposed, by K, then along its length.
std::vector<std::uintptr_t> cells_of(const DescribedMatrix& matrix);
/// Appends them, joined where they are neighbours.
void add_ranges(const std::vector<std::uintptr_t>& cells, std::vector<SharedRange>& ranges);

/// Its elements by rows, or packed as B is (wgmma_product.h). What is no shared memory is 0.
void load_rows(const DescribedMatrix& matrix, std::vector<double>& rows);
void load_packed(const DescribedMatrix& matrix, std::vector<double>& packed);

}  // namespace kata::emulator::ptx

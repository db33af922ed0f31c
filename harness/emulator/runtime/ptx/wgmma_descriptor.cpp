#include "emulator/runtime/ptx/wgmma_descriptor.h"

#include <algorithm>

#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/ptx/wgmma_product.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

constexpr unsigned cell_bytes = 16;

/// A descriptor's fields, in bytes.
struct Layout {
  unsigned start, leading, stride;
  unsigned span;  ///< of a swizzled row; 16: no swizzle
  unsigned base;  ///< offset: rows of 128 bytes by which the pattern begins later
};

unsigned field(std::uint64_t descriptor, unsigned low_bit) {
  return static_cast<unsigned>(descriptor >> low_bit & 0x3fff) * cell_bytes;
}

Layout layout_of(std::uint64_t descriptor) {
  return {field(descriptor, 0), field(descriptor, 16), field(descriptor, 32),
          swizzle_span(descriptor), static_cast<unsigned>(descriptor >> 49 & 7)};
}

/// Of the cell with neighbours along K: row or column `r`, `c`th cell of 16 bytes in it.
unsigned offset_along_k(const Layout& layout, unsigned r, unsigned c) {
  if (layout.span == cell_bytes)
    return r % 8 * cell_bytes + r / 8 * layout.stride + c * layout.leading;
  return r % 8 * layout.span + r / 8 * layout.stride + c * cell_bytes;
}

/// Of the cell with neighbours along M or N: the `j`th of those, at `k`.
unsigned offset_across_k(const Layout& layout, unsigned j, unsigned k) {
  if (layout.span == cell_bytes)
    return j * layout.stride + k % 8 * cell_bytes + k / 8 * layout.leading;
  const unsigned cells = layout.span / cell_bytes;
  return j % cells * cell_bytes + j / cells * layout.leading + k % 8 * layout.span +
         k / 8 * layout.stride;
}

/// The cell's number in its row is XORed with the address's bits from 7 on.
unsigned swizzled(unsigned address, const Layout& layout) {
  const unsigned row = (address >> 7) - layout.base;
  return address ^ (row & (layout.span / cell_bytes - 1)) << 4;
}

template <class Put>
void load(const DescribedMatrix& matrix, const Put& put) {
  const unsigned each = elements_in_16_bytes(matrix.type);
  const unsigned inner = (matrix.transposed ? matrix.length : matrix.depth) / each;
  const std::vector<std::uintptr_t> cells = cells_of(matrix);
  double elements[cell_bytes];
  for (unsigned i = 0; i < cells.size(); ++i) {
    std::fill_n(elements, cell_bytes, 0.0);
    if (cells[i] - running.shared_low <= shared_span - cell_bytes)
      decode(matrix.type, reinterpret_cast<const void*>(cells[i]), elements);
    const unsigned outer = i / inner, first = i % inner * each;
    for (unsigned e = 0; e < each; ++e) {
      if (matrix.transposed) {
        put(first + e, outer, elements[e]);
      } else {
        put(outer, first + e, elements[e]);
      }
    }
  }
}

}  // namespace

unsigned swizzle_span(std::uint64_t descriptor) {
  constexpr unsigned spans[] = {16, 128, 64, 32};
  return spans[descriptor >> 62];
}

DescribedMatrix matrix_a(const MatrixIssue& issue) {
  return {issue.a, issue.form.a, wgmma_rows, issue.form.k, issue.a_transposed};
}

DescribedMatrix matrix_b(const MatrixIssue& issue) {
  return {issue.b, issue.form.b, issue.form.n, issue.form.k, issue.b_transposed};
}

std::vector<std::uintptr_t> cells_of(const DescribedMatrix& matrix) {
  const Layout layout = layout_of(matrix.descriptor);
  const std::uintptr_t start = from_descriptor_address(layout.start);
  const unsigned each = elements_in_16_bytes(matrix.type);
  const unsigned outer = matrix.transposed ? matrix.depth : matrix.length;
  const unsigned inner = (matrix.transposed ? matrix.length : matrix.depth) / each;
  std::vector<std::uintptr_t> cells;
  cells.reserve(std::size_t{outer} * inner);
  for (unsigned i = 0; i < outer; ++i) {
    for (unsigned j = 0; j < inner; ++j) {
      const unsigned offset =
          matrix.transposed ? offset_across_k(layout, j, i) : offset_along_k(layout, i, j);
      const unsigned address = swizzled(layout.start + offset, layout);
      cells.push_back(start + address - layout.start);
    }
  }
  return cells;
}

void add_ranges(const std::vector<std::uintptr_t>& cells, std::vector<SharedRange>& ranges) {
  for (const std::uintptr_t cell : cells) {
    if (!ranges.empty() && ranges.back().low + ranges.back().bytes == cell) {
      ranges.back().bytes += cell_bytes;
    } else if (!ranges.empty() && ranges.back().low == cell + cell_bytes) {
      ranges.back() = {cell, ranges.back().bytes + cell_bytes};
    } else {
      ranges.push_back({cell, cell_bytes});
    }
  }
}

void load_rows(const DescribedMatrix& matrix, std::vector<double>& rows) {
  rows.resize(std::size_t{matrix.length} * matrix.depth);
  load(matrix,
       [&](unsigned row, unsigned k, double value) { rows[row * matrix.depth + k] = value; });
}

void load_packed(const DescribedMatrix& matrix, std::vector<double>& packed) {
  packed.resize(std::size_t{matrix.length} * matrix.depth);
  load(matrix, [&](unsigned column, unsigned k, double value) {
    packed[packed_at(matrix.depth, k, column)] = value;
  });
}

}  // namespace kata::emulator::ptx

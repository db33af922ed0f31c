// Patterns of right values in wrong places, in a matrix.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/patterns.h"

namespace kata::patterns {
namespace {

/// What [row][col] should be; NaN outside the matrix.
double want_at(const Wrong& wrong, std::int64_t row, std::int64_t col) {
  const bool inside = row < wrong.dims[0] && col < wrong.dims[1];
  return inside ? want(wrong, row * wrong.dims[1] + col) : NAN;
}

/// Whether each wrong element is what should be elsewhere, other(i), but for those that would be
/// from outside the matrix: there a tile is cut off, and holds zeros or nothing, with few
/// exceptions.
template <class Other>
bool fits_inside(const Wrong& wrong, Other other) {
  std::size_t inside = 0, unexplained = 0;
  for (std::int64_t i : wrong.bad) {
    const double value = other(i), element = got(wrong, i);
    if (std::isnan(value)) {
      unexplained += element != 0 && !std::isnan(element);
    } else if (accounts_for(wrong, i, value)) {
      inside += element != 0;  // which agrees with too much that is nearly zero
    } else {
      return false;
    }
  }
  return inside >= 4 && unexplained <= inside;
}

}  // namespace

Sentence tiles_out_of_order(const Wrong& wrong) {
  if (!is_matrix(wrong.dims) || wrong.bad.size() < 8) return {};
  const std::int64_t cols = wrong.dims[1];
  for (const std::int64_t tile : {32, 16, 8}) {
    const auto turned = [&](std::int64_t i) {
      const std::int64_t row = i / cols, col = i % cols;
      return want_at(wrong, row / tile * tile + col % tile, col / tile * tile + row % tile);
    };
    if (fits_inside(wrong, turned)) {
      return fmt::format(
          "each tile of {0} x {0} is in its place, but transposed within itself: {1}", tile,
          example(wrong, wrong.bad.front()));
    }
    const auto swapped = [&](std::int64_t i) {
      const std::int64_t row = i / cols, col = i % cols;
      return want_at(wrong, col / tile * tile + row % tile, row / tile * tile + col % tile);
    };
    if (fits_inside(wrong, swapped)) {
      return fmt::format(
          "tiles of {0} x {0} are swapped with each other (where the tile is written, must "
          "blockIdx.x and blockIdx.y be swapped?): {1}",
          tile, example(wrong, wrong.bad.front()));
    }
  }
  return {};
}

Sentence written_with_other_stride(const Wrong& wrong) {
  if (!is_matrix(wrong.dims) || wrong.unwritten.empty()) return {};
  const std::int64_t rows = wrong.dims[0], cols = wrong.dims[1];
  for (std::size_t s = 0; s < wrong.one_case.shape.size(); ++s) {
    const std::int64_t stride = wrong.one_case.shape[s];
    if (stride == cols) continue;
    // Rows that are too near overlap: any of those that meet in an element may have come last.
    const auto fits = [&](std::int64_t i) {
      for (std::int64_t row = std::min(i / stride, rows - 1); row >= 0; --row) {
        if (i - row * stride >= cols) return false;
        if (accounts_for(wrong, i, want(wrong, row * cols + i - row * stride))) return true;
      }
      return false;
    };
    std::size_t fitting = 0;
    for (std::int64_t i : wrong.bad) fitting += fits(i);
    const std::size_t written = wrong.bad.size() - wrong.unwritten.size();
    if (fitting < 2 || 10 * fitting < 9 * written) continue;
    return fmt::format(
        "the rows of {} were written {} = {} apart, not {}: part of it was never written",
        wrong.tensor.name, size_name(wrong.problem, s), stride, cols);
  }
  return {};
}

Sentence misplaced(const Wrong& wrong) {
  const auto& tolerance = wrong.expected.tolerance;  // empty: 0
  const bool exact =
      std::all_of(tolerance.begin(), tolerance.end(), [](double t) { return t == 0; });
  if (!is_matrix(wrong.dims) || wrong.bad.size() < 4 || !exact) return {};
  std::vector<std::pair<double, std::int64_t>> places;
  for (std::size_t i = 0; i < wrong.got.size(); ++i) {
    places.emplace_back(want(wrong, static_cast<std::int64_t>(i)), static_cast<std::int64_t>(i));
  }
  std::sort(places.begin(), places.end());
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < places.size(); ++i)
    distinct += places[i].first != places[i - 1].first;
  if (2 * distinct < places.size()) return {};  // almost any value is wanted somewhere
  std::size_t found = 0;
  std::string first;
  for (std::int64_t i : wrong.bad) {
    const double value = got(wrong, i);
    const auto place =
        std::lower_bound(places.begin(), places.end(), std::pair(value, std::int64_t{0}));
    if (place == places.end() || place->first != value) continue;
    if (found++ > 0) continue;
    const std::string& name = wrong.tensor.name;
    first = fmt::format("{} holds what {} should", element_name(name, i, wrong.dims),
                        element_name(name, place->second, wrong.dims));
  }
  if (10 * found < 9 * wrong.bad.size()) return {};
  return fmt::format("{} elements are in wrong places: {}", wrong.bad.size(), first);
}

Sentence groups_reversed(const Wrong& wrong) {
  if (wrong.bad.size() < 8) return {};
  for (const std::int64_t size : {2, 4, 8, 16, 32}) {
    if (static_cast<std::int64_t>(wrong.got.size()) % size != 0) return {};
    const auto mirrored = [&](std::int64_t i) {
      return want(wrong, i + size - 1 - 2 * (i % size));
    };
    if (!accounts_for_all(wrong, mirrored)) continue;
    return fmt::format("each group of {} elements is in its place, but in reverse order: {}", size,
                       example(wrong, wrong.bad.front()));
  }
  return {};
}

}  // namespace kata::patterns

// Patterns of where an output is wrong.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/patterns.h"

namespace kata {
namespace {

using Elements = std::vector<std::int64_t>;

bool contiguous(const Elements& v) {
  return v.back() - v.front() + 1 == static_cast<std::int64_t>(v.size());
}

/// Why things might end at `begin` of `n`: the widths of vectors, warps, tiles and blocks that fit.
/// Rows are not taken four at a time by a float4.
std::string reason_to_end(std::int64_t begin, std::int64_t n, bool rows) {
  std::vector<std::int64_t> widths;
  for (std::int64_t width = rows ? 8 : 4; width <= 1024; width *= 2) {
    if (begin % width == 0 && n - begin < width) widths.push_back(width);
  }
  if (begin > 1 && (begin == n / 4 || begin == n / 4 + 1))
    return ", past the first quarter (bytes for floats?)";
  if (widths.empty() || begin == 0) return {};
  const std::string narrow = widths.front() == 4 ? "4 (a float4)" : std::to_string(widths.front());
  if (widths.size() == 1) return fmt::format(", past the last multiple of {}", narrow);
  return fmt::format(", past the last multiple of {} or of {}", narrow, widths.back());
}

/// "elements 1020 to 1022 (of 1023), past the last multiple of 4 (a float4)"
std::string describe_range(std::int64_t begin, std::int64_t end, std::int64_t n,
                           const std::string& noun) {
  const bool last = end == n;
  const std::string reason = last ? reason_to_end(begin, n, noun == "row") : "";
  if (begin == 0 && last) return fmt::format("all {} {}s", n, noun);
  if (end - begin == 1) {
    if (last) return fmt::format("only the last {0}, {0} {1}{2}", noun, begin, reason);
    return begin == 0 ? fmt::format("only the first {} (of {})", noun, n)
                      : fmt::format("only {} {} (of {})", noun, begin, n);
  }
  if (begin == 0) return fmt::format("the first {} {}s (of {})", end, noun, n);
  if (last && begin == 1) return fmt::format("all {}s but the first (of {})", noun, n);
  return fmt::format("{}s {} to {} (of {}){}", noun, begin, end - 1, n, reason);
}

std::string ordinal(std::int64_t n) {
  if (n == 2) return "second";
  if (n == 3) return "third";
  const bool second = n % 10 == 2 && n % 100 != 12;  // powers of 2, and all up to 16
  return fmt::format("{}{}", n, second ? "nd" : "th");
}

/// The same positions in every group of `period`: [first, last] of each.
std::string describe_period(const Elements& v, std::int64_t n, const std::string& noun) {
  std::vector<std::int64_t> periods;
  for (std::int64_t p = 2; p <= 16; ++p) periods.push_back(p);
  for (std::int64_t p = 32; 2 * p <= n; p *= 2) periods.push_back(p);
  for (std::int64_t period : periods) {
    if (2 * period > n) continue;
    std::int64_t first = period, last = 0;
    for (std::int64_t i : v) {
      first = std::min(first, i % period);
      last = std::max(last, i % period);
    }
    const std::int64_t width = last - first + 1;
    if (width == period) continue;
    const std::int64_t tail = std::clamp<std::int64_t>(n % period - first, 0, width);
    if (n / period * width + tail != static_cast<std::int64_t>(v.size())) continue;
    if (width == 1) {
      return fmt::format("every {} {} ({}, {}, ... of {})", ordinal(period), noun, first,
                         first + period, n);
    }
    if (first == 1 && last == period - 1) {
      return fmt::format("all but every {} {} (0, {}, {}, ... of {} are right)", ordinal(period),
                         noun, period, 2 * period, n);
    }
    return fmt::format("{}s {} to {} of every {} (of {})", noun, first, last, period, n);
  }
  return {};
}

std::string describe_line(const Elements& v, std::int64_t n, const std::string& noun) {
  if (contiguous(v)) return describe_range(v.front(), v.back() + 1, n, noun);
  return describe_period(v, n, noun);
}

struct Grid {
  Elements rows, columns;  ///< those that hold one of the elements at least, ascending
};

Elements distinct(Elements v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

Grid grid_of(const Elements& elements, std::int64_t cols) {
  Grid grid;
  for (std::int64_t i : elements) {
    if (grid.rows.empty() || grid.rows.back() != i / cols) grid.rows.push_back(i / cols);
    grid.columns.push_back(i % cols);
  }
  grid.columns = distinct(std::move(grid.columns));
  return grid;
}

/// Everything outside [0, rows) x [0, cols): both edges at once.
std::string describe_corner(const Elements& elements, std::int64_t rows, std::int64_t cols) {
  // The first element that is right in no row or column of the edge: (first_row, first_column).
  const std::int64_t first_column = elements.front() % cols;
  if (elements.front() / cols != 0 || first_column == 0) return {};
  std::int64_t first_row = rows;
  for (std::int64_t i : elements) {
    if (i % cols < first_column) {
      first_row = i / cols;
      break;
    }
  }
  const std::int64_t inside = first_row * first_column;
  if (first_row == rows || rows * cols - inside != static_cast<std::int64_t>(elements.size())) {
    return {};
  }
  return fmt::format("rows from {} on (of {}) and columns from {} on (of {}){}", first_row, rows,
                     first_column, cols, reason_to_end(first_column, cols, false));
}

std::string describe_diagonal(const Elements& elements, std::int64_t rows, std::int64_t cols) {
  const auto size = static_cast<std::int64_t>(elements.size());
  std::int64_t above = 0, below = 0;
  for (std::int64_t i : elements) {
    above += i % cols > i / cols;
    below += i % cols < i / cols;
  }
  const std::int64_t diagonal = std::min(rows, cols);
  std::int64_t all_above = 0;
  for (std::int64_t row = 0; row < diagonal; ++row) all_above += cols - 1 - row;
  const std::int64_t all_below = rows * cols - diagonal - all_above;
  if (size < 3) return {};
  if (above == size && above == all_above) return "everything above the diagonal";
  if (below == size && below == all_below) return "everything below the diagonal";
  if (above == all_above && below == all_below && size == all_above + all_below) {
    return "everything but the diagonal";
  }
  return above + below == 0 && size == diagonal ? "the diagonal alone" : "";
}

std::string describe_matrix(const Elements& elements, std::int64_t rows, std::int64_t cols) {
  const Grid grid = grid_of(elements, cols);
  const auto size = static_cast<std::int64_t>(elements.size());
  const auto row_count = static_cast<std::int64_t>(grid.rows.size());
  const auto column_count = static_cast<std::int64_t>(grid.columns.size());
  if (size == row_count * cols) {
    const std::string place = describe_line(grid.rows, rows, "row");
    if (!place.empty()) return place;
  }
  if (size == column_count * rows) {
    const std::string place = describe_line(grid.columns, cols, "column");
    if (!place.empty()) return place + ", in every row";
  }
  if (const std::string corner = describe_corner(elements, rows, cols); !corner.empty()) {
    return corner;
  }
  if (size == row_count * column_count && size > 3) {
    const std::string in_rows = describe_line(grid.rows, rows, "row");
    const std::string in_columns = describe_line(grid.columns, cols, "column");
    if (!in_rows.empty() && !in_columns.empty()) return in_rows + ", there " + in_columns;
  }
  return describe_diagonal(elements, rows, cols);
}

/// A part of an output, for wrong elements that fill it only partly: some are right by accident.
struct Region {
  std::string place;
  std::int64_t size;
};

/// The smallest regions of simple shape that hold all wrong elements.
std::vector<Region> regions(const Elements& bad, const Dims& dims) {
  std::vector<Region> result;
  const auto add = [&](const Elements& line, std::int64_t n, const std::string& noun,
                       std::int64_t each) {
    if (line.front() > 0) {
      result.push_back({describe_range(line.front(), n, n, noun), (n - line.front()) * each});
    }
    if (line.back() + 1 < n) {
      result.push_back({describe_range(0, line.back() + 1, n, noun), (line.back() + 1) * each});
    }
  };
  if (patterns::is_matrix(dims)) {
    const Grid grid = grid_of(bad, dims[1]);
    add(grid.rows, dims[0], "row", dims[1]);
    add(grid.columns, dims[1], "column", dims[0]);
  } else {
    add(bad, count(dims), "element", 1);
  }
  return result;
}

/// Where lanes take elements in turn: those of lane 0 are right, too many to be so by chance beside
/// the wrong ones of other lanes.
bool only_first_lane_right(const Wrong& wrong) {
  const std::int64_t cols = wrong.dims.back();
  for (const std::int64_t i : wrong.bad) {
    if (i % cols % 32 == 0) return false;
  }
  double firsts = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(wrong.got.size()); ++i)
    firsts += i % cols % 32 == 0;
  const double share =
      static_cast<double>(wrong.bad.size()) / (static_cast<double>(wrong.got.size()) - firsts);
  return share > 0.2 && firsts * std::log1p(-std::min(share, 0.999)) < std::log(1e-4);
}

/// How the wrong elements look, if they all look alike: ", and they are NaN".
std::string look(const Wrong& wrong) {
  const double first = patterns::got(wrong, wrong.bad.front());
  for (std::int64_t i : wrong.bad) {
    const double value = patterns::got(wrong, i);
    if (!(value == first || (std::isnan(value) && std::isnan(first)))) return {};
  }
  if (wrong.bad.size() == 1) return fmt::format(", which is {}", number(first));
  return fmt::format(", all of which are {}", number(first));
}

}  // namespace

std::string describe_place(const std::vector<std::int64_t>& elements, const Dims& dims) {
  if (patterns::is_matrix(dims)) {
    const std::string place = describe_matrix(elements, dims[0], dims[1]);
    if (!place.empty()) return place;
  }
  return describe_line(elements, count(dims), "element");
}

namespace patterns {

Sentence nothing_written(const Wrong& wrong) {
  if (wrong.unwritten.size() != wrong.got.size()) return {};
  const std::string& name = wrong.tensor.name;
  const char* const poison = is_float(wrong.tensor.type) ? "NaN" : "0xA5 bytes";
  if (single(wrong)) {
    return fmt::format("{} was never written: it still holds the {} that it arrived with", name,
                       poison);
  }
  return fmt::format(
      "{} was never written: all {} elements still hold the {} that they arrived with", name,
      wrong.got.size(), poison);
}

Sentence partly_written(const Wrong& wrong) {
  if (wrong.unwritten.empty()) return {};
  const std::string& name = wrong.tensor.name;
  std::string place = describe_place(wrong.unwritten, wrong.dims);
  if (place.empty()) {
    place = fmt::format("{} of {} elements, the first {}", wrong.unwritten.size(), wrong.got.size(),
                        element_name(name, wrong.unwritten.front(), wrong.dims));
  }
  std::string sentence = fmt::format("part of {} was never written: {}", name, place);
  if (wrong.bad.size() > wrong.unwritten.size()) {
    sentence += fmt::format("; of the elements that were, {} are wrong too",
                            wrong.bad.size() - wrong.unwritten.size());
  }
  return sentence;
}

Sentence wrong_place(const Wrong& wrong) {
  if (wrong.bad.size() == wrong.got.size()) return {};
  std::string place = describe_place(wrong.bad, wrong.dims);
  if (place.empty()) {
    double best = 0.2;  // at least a fifth of a region has to be wrong
    for (const Region& region : regions(wrong.bad, wrong.dims)) {
      const double share = static_cast<double>(wrong.bad.size()) / static_cast<double>(region.size);
      const auto outside = static_cast<double>(wrong.got.size()) - static_cast<double>(region.size);
      // Were wrong elements strewn over everything, would so many outside be right by chance?
      const bool significant = outside * std::log1p(-std::min(share, 0.999)) < std::log(1e-4);
      if (share < best || !significant) continue;
      best = share;
      place = fmt::format("{} ({} elements there)", region.place, wrong.bad.size());
    }
  }
  if (place.empty()) return {};
  const char* const reason =
      only_first_lane_right(wrong)
          ? " (after a reduction with __shfl_down_sync() only lane 0 holds the result)"
          : "";
  return fmt::format("wrong in {} only in part: {}{}{}; {}", wrong.tensor.name, place, reason,
                     look(wrong), example(wrong, wrong.bad.front()));
}

}  // namespace patterns
}  // namespace kata

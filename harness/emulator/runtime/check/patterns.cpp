#include "emulator/runtime/check/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/runtime/count/wavefronts.h"

namespace kata::emulator {
namespace {

std::vector<unsigned> list_of(unsigned lanes) {
  std::vector<unsigned> list;
  for (; lanes; lanes &= lanes - 1) list.push_back(static_cast<unsigned>(std::countr_zero(lanes)));
  return list;
}

bool are_neighbours(unsigned lanes) {
  const unsigned from_first = lanes >> std::countr_zero(lanes);
  return (from_first & (from_first + 1)) == 0;
}

/// Lane l lies (l % row) * step + (l / row) * pitch bytes after lane 0.
struct Grid {
  unsigned row;  ///< lanes
  std::int64_t step, pitch;
};

/// The bytes from lane to lane, where they are the same between these two and all between.
std::optional<std::int64_t> distance(const Request& request, unsigned a, unsigned b,
                                     unsigned steps) {
  const auto bytes = std::int64_t{request.where[b]} - std::int64_t{request.where[a]};
  if (bytes % steps != 0) return {};
  return bytes / steps;
}

/// The rows of that length that these addresses form; none if they do not.
std::optional<Grid> grid_of(const Request& request, unsigned row) {
  const std::vector<unsigned> lanes = list_of(request.lanes);
  const unsigned first = lanes.front();
  std::optional<std::int64_t> step, pitch;
  for (const unsigned lane : lanes) {
    if (!step && lane != first && lane / row == first / row)
      step = distance(request, first, lane, lane - first);
    if (!pitch && lane / row != first / row && lane % row == first % row)
      pitch = distance(request, first, lane, lane / row - first / row);
  }
  const Grid grid{row, step.value_or(0), pitch.value_or(0)};
  const auto offset = [&](unsigned lane) {
    return std::int64_t{lane % row} * grid.step + std::int64_t{lane / row} * grid.pitch;
  };
  for (const unsigned lane : lanes) {
    const auto bytes = std::int64_t{request.where[lane]} - std::int64_t{request.where[first]};
    if (bytes != offset(lane) - offset(first)) return {};
  }
  return grid;
}

std::string apart(std::int64_t step, unsigned width) {
  if (step == width || step == -std::int64_t{width}) return "side by side";
  return fmt::format("with a stride of {} bytes", step < 0 ? -step : step);
}

std::string in_rows(const Grid& grid, unsigned width) {
  if (grid.step == 0) {
    return fmt::format("with {} neighbours at one address each, {} bytes from the next {}",
                       grid.row, grid.pitch, grid.row);
  }
  const std::string row = fmt::format("in rows of {} lanes {}", grid.row, apart(grid.step, width));
  if (grid.pitch == 0) return row + ", all rows at the same addresses";
  return fmt::format("{}, the rows {} bytes apart", row, grid.pitch);
}

}  // namespace

std::string lanes_in_words(unsigned lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const auto count = static_cast<unsigned>(std::popcount(lanes));
  if (count == 1) return fmt::format("lane {}", first);
  return are_neighbours(lanes) ? fmt::format("lanes {}-{}", first, first + count - 1)
                               : fmt::format("{} lanes", count);
}

std::string addresses_in_words(const Request& request, unsigned width) {
  if (std::popcount(request.lanes) == 1) return "alone";
  if (const auto line = grid_of(request, 32)) {
    if (line->step == 0) return "at one address";
    const std::string words = apart(line->step, width);
    return words + (are_neighbours(request.lanes) ? "" : ", with gaps for the idle lanes");
  }
  for (const unsigned row : {16u, 8u, 4u, 2u}) {
    if (const auto grid = grid_of(request, row)) return in_rows(*grid, width);
  }
  return "at scattered addresses";
}

std::int64_t stride_of(const Request& request) {
  const auto line = grid_of(request, 32);
  return line ? line->step : 0;
}

std::string banks_in_words(const Request& request, unsigned width) {
  struct Want {
    unsigned lane;
    std::uint32_t word;
  };
  std::array<std::vector<Want>, banks> wants;
  for (const unsigned lane : list_of(request.lanes)) {
    const std::uint32_t first = request.where[lane] / 4;
    for (std::uint32_t word = first; word < first + (width + 3) / 4; ++word) {
      auto& here = wants[word % banks];
      const bool known = std::any_of(here.begin(), here.end(),
                                     [&](const Want& want) { return want.word == word; });
      if (!known) here.push_back({lane, word});
    }
  }
  const auto worst = std::max_element(
      wants.begin(), wants.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (worst->size() < 2) return {};
  constexpr std::size_t shown = 4;
  std::string lanes;
  for (std::size_t i = 0; i < std::min(worst->size(), shown); ++i)
    lanes += (i == 0 ? "" : ", ") + std::to_string((*worst)[i].lane);
  return fmt::format("lanes {}{} want {} different words of bank {}", lanes,
                     worst->size() > shown ? ", ..." : "", worst->size(), worst - wants.begin());
}

}  // namespace kata::emulator

#include "emulator/runtime/wavefronts.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/lanes.h"

namespace kata::emulator {
namespace {

constexpr unsigned banks = 32;
constexpr unsigned sector_bytes = 32;
constexpr unsigned line_sectors = 4;

/// Lanes i and i ^ distance, where both take part, read one address. `lower`: those without the
/// bit.
bool pairs_agree(const Request& request, unsigned distance, unsigned lower) {
  bool agree = true;
  for_each_lane(request.lanes & request.lanes >> distance & lower, [&](unsigned lane) {
    agree &= request.where[lane] == request.where[lane + distance];
  });
  return agree;
}

bool neighbours_agree(const Request& request) {
  return pairs_agree(request, 1, 0x55555555) || pairs_agree(request, 2, 0x33333333);
}

/// The most different words that these lanes want of one bank.
unsigned degree(const Request& request, unsigned lanes, unsigned words) {
  std::array<unsigned, banks> wanted{};                   // of each bank
  std::array<std::array<std::uint32_t, 32>, banks> word;  // which; only the first `wanted` are set
  unsigned most = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint32_t first = request.where[lane] / 4;
    for (std::uint32_t w = first; w < first + words; ++w) {
      auto& known = word[w % banks];
      unsigned& count = wanted[w % banks];
      if (std::find(known.data(), known.data() + count, w) != known.data() + count) continue;
      known[count++] = w;
      most = std::max(most, count);
    }
  });
  return most;
}

}  // namespace

Transfers sectors(const Request& request, unsigned width) {
  std::array<std::uint32_t, 32> touched{};
  unsigned lanes = 0;
  bool ascending = true;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const std::uint32_t sector = request.where[lane] / sector_bytes;
    ascending &= lanes == 0 || touched[lanes - 1] <= sector;
    touched[lanes++] = sector;
  });
  if (!ascending) std::sort(touched.begin(), touched.begin() + lanes);
  unsigned needed = 1, lines = 1;
  for (unsigned i = 1; i < lanes; ++i) {
    needed += touched[i] != touched[i - 1];
    lines += touched[i] / line_sectors != touched[i - 1] / line_sectors;
  }
  // Lanes that share a word ask for its bytes once each: never more than what was touched.
  const std::uint64_t base = request.base / sector_bytes;
  return {.needed = needed,
          .fewest = std::min(needed, (lanes * width + sector_bytes - 1) / sector_bytes),
          .lines = lines,
          .first_sector = base + touched[0],
          .last_sector = base + touched[lanes - 1]};
}

Transfers turns(const Request& request) {
  std::array<std::uint32_t, 32> touched{};
  unsigned lanes = 0;
  for_each_lane(request.lanes, [&](unsigned lane) { touched[lanes++] = request.where[lane]; });
  std::sort(touched.begin(), touched.begin() + lanes);
  unsigned most = 1, here = 1;
  for (unsigned i = 1; i < lanes; ++i) {
    here = touched[i] == touched[i - 1] ? here + 1 : 1;
    most = std::max(most, here);
  }
  return {.needed = most, .fewest = 1};
}

Transfers wavefronts(const Request& request, unsigned width, bool is_load) {
  // 128 bytes in one wavefront: all lanes, or 16 of 8 bytes, or 8 of 16 bytes each.
  unsigned group = width <= 4 ? 32 : 128 / width;
  if (group < 32 && is_load && neighbours_agree(request)) group *= 2;
  const unsigned words = std::max(width / 4, 1u);
  Transfers result;
  for (unsigned first = 0; first < 32; first += group) {
    const unsigned members = group == 32 ? ~0u : ((1u << group) - 1) << first;
    if (!(request.lanes & members)) continue;
    result.needed += degree(request, request.lanes & members, words);
    ++result.fewest;
  }
  return result;
}

}  // namespace kata::emulator

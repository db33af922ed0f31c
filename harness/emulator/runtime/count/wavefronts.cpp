#include "emulator/runtime/count/wavefronts.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/count/lanes.h"

namespace kata::emulator {
namespace {

/// Whether all 32 lanes are there, each with the address of the one before or `width` behind it:
/// what most requests look like.
bool is_even(const Request& request, unsigned width) {
  if (request.lanes != ~0u) return false;
  const std::uint32_t step = request.where[1] - request.where[0];
  if (step != 0 && step != width) return false;
  std::uint32_t off = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    off |= request.where[lane] ^ (request.where[0] + lane * step);
  return off == 0;
}

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

/// Whether these lanes want at most one word of each bank.
bool spread_out(const Request& request, unsigned lanes, unsigned words) {
  std::array<std::uint32_t, banks> word;  // of each bank; only those of `wanted` are set
  unsigned wanted = 0;
  bool spread = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint32_t first = request.where[lane] / 4;
    for (std::uint32_t w = first; w < first + words; ++w) {
      const unsigned bank = w % banks;
      spread &= !(wanted >> bank & 1) || word[bank] == w;
      wanted |= 1u << bank;
      word[bank] = w;
    }
  });
  return spread;
}

/// The most different words that these lanes want of one bank.
unsigned degree(const Request& request, unsigned lanes, unsigned words) {
  if (spread_out(request, lanes, words)) return 1;
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

Transfers even_sectors(const Request& request, unsigned width) {
  const std::uint64_t first = request.address(0) / sector_bytes;
  const std::uint64_t last = request.address(31) / sector_bytes;
  const auto needed = static_cast<unsigned>(last - first) + 1;
  return {.needed = needed,
          .fewest = std::min(needed, 32 * width / sector_bytes),
          .lines = static_cast<unsigned>(last / line_sectors - first / line_sectors) + 1,
          .first_sector = first,
          .last_sector = last};
}

/// The turns that copies of these lanes take: as many as there are lanes that share a bank with the
/// lane that shares its two, of what it reads and of what it writes, with the most.
unsigned copy_turns(const Request& from, const Request& to, unsigned lanes, unsigned width) {
  const unsigned width_banks = banks * 4 / width;
  std::array<unsigned, banks> readers{}, writers{};  // lanes, of each bank
  const auto bank = [&](std::uint32_t where) { return where / width % width_banks; };
  for_each_lane(lanes, [&](unsigned lane) {
    readers[bank(from.where[lane])] |= 1u << lane;
    writers[bank(to.where[lane])] |= 1u << lane;
  });
  int most = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned sharing = readers[bank(from.where[lane])] | writers[bank(to.where[lane])];
    most = std::max(most, std::popcount(sharing));
  });
  return static_cast<unsigned>(most);
}

/// f(those of `lanes` that are in it) for each group of `group` lanes side by side that has any.
template <class F>
void for_each_group(unsigned lanes, unsigned group, F f) {
  for (unsigned first = 0; first < 32; first += group) {
    const unsigned members = lanes & (group == 32 ? ~0u : ((1u << group) - 1) << first);
    if (members) f(members);
  }
}

}  // namespace

Transfers sectors(const Request& request, unsigned width) {
  if (is_even(request, width)) return even_sectors(request, width);
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
  unsigned most = 1, here = 1, sectors = 1;
  for (unsigned i = 1; i < lanes; ++i) {
    here = touched[i] == touched[i - 1] ? here + 1 : 1;
    most = std::max(most, here);
    sectors += touched[i] / sector_bytes != touched[i - 1] / sector_bytes;
  }
  return {.needed = most, .fewest = 1, .atomic_sectors = sectors};
}

Transfers wavefronts(const Request& request, unsigned width, bool is_load) {
  // 128 bytes in one wavefront: all lanes, or 16 of 8 bytes, or 8 of 16 bytes each.
  unsigned group = width <= 4 ? 32 : 128 / width;
  const bool even = is_even(request, width);  // no two words of one bank
  if (group < 32 && is_load && neighbours_agree(request)) group *= 2;
  const unsigned words = std::max(width / 4, 1u);
  Transfers result;
  for_each_group(request.lanes, group, [&](unsigned lanes) {
    result.needed += even ? 1 : degree(request, lanes, words);
    ++result.fewest;
  });
  return result;
}

Transfers copy_wavefronts(const Request& from, const Request& to, unsigned width) {
  Transfers result;
  for_each_group(to.lanes, 128 / width, [&](unsigned lanes) {
    result.needed += copy_turns(from, to, lanes, width);
    ++result.fewest;
  });
  return result;
}

}  // namespace kata::emulator

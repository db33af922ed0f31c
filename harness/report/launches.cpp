#include "report/launches.h"

#include <algorithm>
#include <tuple>

namespace kata {
namespace {

template <class Record>
void add_accesses(Record& sum, const Record& more) {
  add(sum.global_load, more.global_load);
  add(sum.global_store, more.global_store);
  add(sum.shared_load, more.shared_load);
  add(sum.shared_store, more.shared_store);
  add(sum.atomic, more.atomic);
}

bool is_before(const LineRecord& a, const LineRecord& b) {
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

void add_lines(std::vector<LineRecord>& sum, const std::vector<LineRecord>& more) {
  for (const LineRecord& line : more) {
    const auto at = std::lower_bound(sum.begin(), sum.end(), line, is_before);
    if (at == sum.end() || is_before(line, *at)) {
      sum.insert(at, line);
    } else {
      add_accesses(*at, line);
    }
  }
}

}  // namespace

std::uint64_t transfers(const AccessCount& count) {
  return count.sectors + count.wavefronts + count.turns;
}

std::uint64_t transfers(const KernelRecord& kernel) {
  return transfers(kernel.global_load) + transfers(kernel.global_store) +
         transfers(kernel.shared_load) + transfers(kernel.shared_store) + transfers(kernel.atomic);
}

std::uint64_t excess(const AccessCount& count) {
  const std::uint64_t turns = count.turns > count.requests ? count.turns - count.requests : 0;
  return count.sectors - count.ideal_sectors + count.conflicts + turns;
}

void add(AccessCount& sum, const AccessCount& more) {
  sum.accesses += more.accesses;
  sum.bytes += more.bytes;
  sum.requests += more.requests;
  sum.switched_off += more.switched_off;
  sum.sectors += more.sectors;
  sum.ideal_sectors += more.ideal_sectors;
  sum.wavefronts += more.wavefronts;
  sum.conflicts += more.conflicts;
  sum.apart += more.apart;
  sum.apart_wavefronts += more.apart_wavefronts;
  sum.turns += more.turns;
  const auto cost = [](const WorstRequest& one) {
    return std::tuple(one.needed - one.ideal, one.needed, one.lanes);
  };
  if (cost(more.worst) > cost(sum.worst)) sum.worst = more.worst;
}

void add(KernelRecord& sum, const KernelRecord& more) {
  sum.launches += more.launches;
  sum.counted_launches += more.counted_launches;
  add_accesses(sum, more);
  sum.unmarked_blocks += more.unmarked_blocks;
  sum.barriers += more.barriers;
  sum.blocks_wait = sum.blocks_wait || more.blocks_wait;
  add_lines(sum.lines, more.lines);
}

std::vector<KernelSum> by_kernel(const std::vector<KernelRecord>& launches) {
  std::vector<KernelSum> sums;
  for (const KernelRecord& launch : launches) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const KernelSum& one) {
      return one.sum.name == launch.name;
    });
    if (known == sums.end()) {
      sums.push_back({launch.launches, launch});
      continue;
    }
    known->launches += launch.launches;
    add(known->sum, launch);
  }
  return sums;
}

}  // namespace kata

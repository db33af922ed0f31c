#include "emulator/runtime/api/launch_sample.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/shadow_words.h"
#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {
namespace {

bool is_race(const Incident& incident) {
  return std::holds_alternative<Race>(incident.fault);
}

/// A block that waits for its own threads may do so because others have not run.
bool is_deadlock(const Incident& incident) {
  return std::holds_alternative<Deadlock>(incident.fault);
}

bool uses_memory(const Launch& launch) {
  constexpr AccessKind kinds[] = {AccessKind::global_load, AccessKind::global_store,
                                  AccessKind::global_atomic};
  return launch.sample.ended_early || std::ranges::any_of(kinds, [&](AccessKind kind) {
           return launch.counts.total(kind).accesses > 0;
         });
}

/// Calls f(shadow, address, bytes) for the words of the candidate's memory that may hold a mark.
template <class F>
void for_each_own_word(const Launch& launch, F f) {
  constexpr std::uintptr_t large = 1 << 20;
  const AddressRange& variables = launch.variables->variables();
  if (variables.high - variables.low <= large)
    for_each_word(variables.low, (variables.high - variables.low) / 4 * 4, f);
  for (const Allocation& one : DeviceMemory::instance().buffers())
    if (one.place != Place{}) for_each_marked_word(one.low, one.bytes / 4 * 4, f);
}

Shadow& shadow_of(std::uintptr_t word) {
  return *(in_arena(reinterpret_cast<const void*>(word))
               ? global_shadow(word - arena_low)
               : &ModuleVariables::beside(reinterpret_cast<const void*>(word)).of(word));
}

/// How far a launch comes in what earlier ones have left.
void note_reach(const Launch& launch, FirstReads& reads) {
  const auto uses = [&](std::uintptr_t word) {
    const Shadow& shadow = shadow_of(word);
    const Mark write = load_mark(&shadow.write), read = load_mark(&shadow.read);
    return std::max(write.block(), read.block()) >= launch.first_number;
  };
  for (const auto& [store, ends] : Runtime::instance().sampled.left)
    if (uses(ends.low)) (uses(ends.high) ? reads.reaches_last : reads.short_of_last).insert(store);
}

/// What each of the launch's stores has left: an array, as a rule, with an element for each block.
void note_left(const Launch& launch) {
  std::map<std::uintptr_t, AddressRange> left;
  for_each_own_word(launch, [&](const Shadow& shadow, std::uintptr_t at, unsigned) {
    const Mark write = load_mark(&shadow.write);
    if (write.block() < launch.first_number) return true;
    const auto store = reinterpret_cast<std::uintptr_t>(write.code()) - launch.module.low;
    AddressRange& ends = left.try_emplace(store, at, at).first->second;
    ends = {std::min(ends.low, at), std::max(ends.high, at)};
    return true;
  });
  for (const auto& [store, ends] : left) Runtime::instance().sampled.left[store] = ends;
}

FirstReads first_reads(const Launch& launch) {
  constexpr std::size_t large = 16 << 20, many = 32;
  FirstReads reads{.blocks = launch.blocks, .most_bytes = launch.sample.most_read};
  reads.kernel = launch.name;
  if (launch.options.sampled_blocks > 1) {
    // What is appended by a counter lies where the blocks that did not run decide, too.
    if (launch.wanted_blocks == launch.blocks && !launch.sample.ended_early &&
        !Runtime::instance().sampled.has_atomics)
      note_reach(launch, reads);
    note_left(launch);
    return reads;
  }
  if (reads.most_bytes == 0) return reads;
  std::set<std::uint32_t> words;
  const auto add_words = [&](std::uintptr_t low, std::uintptr_t high) {
    for_each_word(low, high - low, [&](const Shadow& shadow, std::uintptr_t at, unsigned) {
      const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(at);
      if (word > 0 && word <= reads.most_bytes &&
          load_mark(&shadow.write).block() >= launch.first_number)
        words.insert(word);
      return words.size() <= many;
    });
  };
  const AddressRange& variables = launch.variables->variables();
  add_words(variables.low, variables.high / 4 * 4);
  for (const Allocation& one : DeviceMemory::instance().buffers())
    if (one.bytes <= large) add_words(one.low, one.high() / 4 * 4);
  if (words.size() <= many) reads.words.assign(words.begin(), words.end());
  return reads;
}

}  // namespace

void choose_sample(Launch& launch) {
  constexpr std::uint64_t small = 5 << 17;  // threads
  const Runtime& runtime = Runtime::instance();
  const std::uint64_t most_accesses = launch.options.whole_work;
  const std::uint64_t all = launch.blocks / launch.cluster_blocks;
  LaunchSample& sample = launch.sample;
  sample.after_others = runtime.sampled.lacks_blocks;
  sample.clusters = launch.options.others_write_zeros
                        ? both_ends(all, launch.options.sampled_blocks)
                        : sample_of(all, launch.options.sampled_blocks);
  // Those with low numbers need not be the first to begin.
  if (launch.blocks > launch.capacity()) std::ranges::reverse(sample.clusters);
  sample.chosen = sample.clusters.size();
  if (launch.options.others_write_zeros || sample.after_others ||
      runtime.sampled.work > most_accesses || launch.blocks * launch.threads_per_block > small)
    return;
  sample.most_accesses = most_accesses - runtime.sampled.work;
  sample.clusters = with_others(std::move(sample.clusters), all);
  if (runtime.steps > 1) launch.options.sampled_accesses *= 2;
}

void end_sample(Launch& launch) {
  Runtime::Sampled& all = Runtime::instance().sampled;
  const LaunchSample& sample = launch.sample;
  all.work += launch.work;
  const bool is_atomic = launch.counts.total(AccessKind::global_atomic).accesses > 0;
  all.has_atomics |= is_atomic;
  // The blocks may be the first to run: their races are those of the whole call, unless what
  // orders them depends on what others leave. Streams do not.
  if (sample.after_others) launch.incidents.remove_if(is_race);
  launch.incidents.remove_if(is_deadlock);
  const auto is_own = [](std::uintptr_t page) {
    const auto owner = DeviceMemory::instance().owner(page);
    return owner && owner->place == Place{};
  };
  if (std::ranges::any_of(sample.pages, is_own)) {
    ++all.writers;
    all.sample.blocks = launch.blocks;
    all.sample.ran = launch.wanted_blocks;
    all.sample.bytes = sample.bytes;
    all.sample.most_bytes = sample.most_bytes;
    all.is_partial |= is_atomic;
  }
  all.sample.is_whole &= !sample.ended_early;
  all.sample.kernels[launch.name] |= uses_memory(launch);
  if (launch.options.others_write_zeros) all.sample.reads.push_back(first_reads(launch));
  for (std::uintptr_t page : sample.pages)
    all.sample.pages.push_back(reinterpret_cast<const void*>(page));
  if (launch.wanted_blocks == launch.blocks && !sample.ended_early) return;
  if (launch.options.others_write_zeros) return;
  all.lacks_blocks = true;
  all.work += 1 << 17;  // of what follows
  DeviceMemory::instance().forget_writes();
}

}  // namespace kata::emulator

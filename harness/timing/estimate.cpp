#include "timing/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "timing/occupancy.h"

namespace kata {
namespace {

// Set in round numbers before the first comparison; those that were fitted are the chip's (chip.h).
constexpr double l1_latency = 35, shared_latency = 30, warp_latency = 30, barrier_latency = 40;
constexpr double memory_share = 0.95;  // of the datasheet's bandwidth: what reading alone reaches

constexpr double sector = 32, sectors_per_line = 4, lanes_per_warp = 32, issue_per_clock = 4;
constexpr double tensor_cores = 4;  // of a multiprocessor
constexpr double least_l1 = 16 << 10;

double whole(double value) {
  return std::max(value, 1.0);
}

/// Times that a place for a block is filled. Few of them: the last one is waited for as a whole.
double rounds(double blocks_of_a_place) {
  return blocks_of_a_place < 4 ? std::ceil(blocks_of_a_place) : blocks_of_a_place;
}

/// A launch on the chip, as all the limiters see it.
struct Geometry {
  double blocks, threads, resident, at_once, busy, scale, blocks_of_busiest;
};

Geometry geometry_of(const LaunchProfile& profile, const Chip& chip) {
  const auto product = [](const std::array<unsigned, 3>& d) { return 1.0 * d[0] * d[1] * d[2]; };
  Geometry shape{};
  shape.blocks = product(profile.counts.grid);
  shape.threads = product(profile.counts.block);
  shape.resident = whole(resident_blocks(
      chip.residency, static_cast<unsigned>(shape.threads), profile.counts.shared_bytes,
      profile.registers ? profile.registers : assumed_registers));
  shape.busy = std::min<double>(chip.multiprocessors, shape.blocks);
  shape.blocks_of_busiest = rounds(shape.blocks / chip.multiprocessors);
  shape.at_once = std::min(shape.resident, std::ceil(shape.blocks / chip.multiprocessors));
  shape.scale = shape.blocks / static_cast<double>(profile.blocks_run);
  return shape;
}

/// Sectors that requests ask for again, for each load of a lane that does: lanes of a request that
/// share a sector ask for it once.
double sectors_per_re_read(const LaunchProfile& profile) {
  double re_reads = 0;
  for (std::size_t i = 1; i < profile.re_reads.size(); ++i)
    re_reads += static_cast<double>(profile.re_reads[i]);
  const double first = static_cast<double>(profile.first_reads -
                                           std::min(profile.first_reads, profile.bulk_sectors));
  const double again = static_cast<double>(profile.counts.global_load.sectors) - first;
  return std::clamp(again / whole(re_reads), 0.0, 1.0);
}

/// Sectors that come to a sector which the block touched `distance` or more accesses of a thread
/// before, or never. Of the blocks that ran.
double misses(const LaunchProfile& profile, double distance) {
  double again = 0;
  for (std::size_t i = 1; i < profile.re_reads.size(); ++i) {
    const double low = std::ldexp(1, static_cast<int>(i) - 1), high = 2 * low;
    const double share = std::clamp((high - distance) / (high - low), 0.0, 1.0);
    again += share * static_cast<double>(profile.re_reads[i]);
  }
  return static_cast<double>(profile.first_reads) + again * sectors_per_re_read(profile);
}

/// Loads that a cache of that size does not serve, which so many blocks share, running in step: the
/// reuse distance whose footprint fills the cache, by the higher-order theory of locality (X. Xiang
/// et al., "HOTL: A Higher Order Theory of Locality", ASPLOS 2013).
double misses_of_cache(const LaunchProfile& profile, double capacity, double blocks) {
  const auto runs = static_cast<double>(profile.blocks_run);
  const double accesses = whole(static_cast<double>(profile.thread_accesses) / runs);
  double footprint = 0, distance = 1;
  while (distance < 0x1p31) {
    const double rate = misses(profile, distance) / runs / accesses * sector * blocks;
    if (footprint + rate * distance > capacity) {
      return misses(profile, distance + (capacity - footprint) / rate);
    }
    footprint += rate * distance;
    distance *= 2;
  }
  return static_cast<double>(profile.first_reads);
}

/// First reads, of the blocks that ran, that another block on the same multiprocessor has just
/// made: blocks that run at once share the L1. Each block reads some share of a buffer. The part of
/// the buffer that so many of them read together follows as if each chose its share at random; if
/// every block reads all of it, as a vector that every row needs, one of them fetches it.
double shared_first_reads(const LaunchProfile& profile, const Geometry& shape) {
  const auto runs = static_cast<double>(profile.blocks_run);
  double shared = 0;
  for (const Touched& one : profile.touched) {
    const auto reads = static_cast<double>(one.read_sectors);
    if (reads == 0) continue;
    const double share = std::min(1.0, reads / runs * sector / static_cast<double>(one.bytes));
    const double distinct = 1 - std::pow(1 - share, shape.at_once);
    shared += reads * (1 - distinct / (share * shape.at_once));
  }
  return std::min(shared, static_cast<double>(profile.first_reads));
}

/// Bytes that the L1 does not serve. Bulk copies are among the first reads, but go past the L1: no
/// more sectors miss than loads ask for.
double bytes_past_l1(const LaunchProfile& profile, const Geometry& shape, const Chip& chip) {
  const KernelRecord& counts = profile.counts;
  const double shared_memory = shape.resident * static_cast<double>(counts.shared_bytes);
  const double capacity = std::max(least_l1, chip.l1_bytes - shared_memory);
  const double missed =
      misses_of_cache(profile, capacity, shape.at_once) - shared_first_reads(profile, shape);
  return sector * shape.scale * std::min(missed, static_cast<double>(counts.global_load.sectors));
}

double sectors_of(const Touched& one, double sectors, double scale) {
  return std::min(sectors * scale * sector, static_cast<double>(one.bytes));
}

/// Bytes between the multiprocessors and the L2, and between the L2 and device memory.
struct Traffic {
  double l2_read = 0, l2 = 0, memory_read = 0, memory = 0;
};

Traffic traffic_of(const LaunchProfile& profile, const Geometry& shape, const Chip& chip,
                   L2Contents& l2) {
  const KernelRecord& counts = profile.counts;
  const double everywhere = std::min(shape.blocks, shape.resident * chip.multiprocessors);
  const double l2_misses = shape.scale * misses_of_cache(profile, chip.l2_bytes, everywhere);
  const auto atomics = static_cast<double>(profile.global_atomic_sectors);
  const double stored = static_cast<double>(counts.global_store.sectors) + atomics;
  const double partly = stored - static_cast<double>(counts.global_store.ideal_sectors);

  Traffic traffic;
  const double bulk = sector * shape.scale * static_cast<double>(profile.bulk_sectors);
  traffic.l2_read = bytes_past_l1(profile, shape, chip) + bulk;
  traffic.l2 =
      traffic.l2_read + sector * shape.scale * (stored + chip.fitted.partial_store_cost * partly);
  double touched_by_blocks = 0, written = 0, touched = 0;
  for (const Touched& one : profile.touched) {
    const auto reads = static_cast<double>(one.read_sectors);
    const auto writes = static_cast<double>(one.written_sectors);
    const double bytes = sectors_of(one, reads, shape.scale);
    traffic.memory_read += bytes - l2.found(one.buffer, bytes);
    touched_by_blocks += reads * shape.scale;
    written += sectors_of(one, writes, shape.scale);
    touched += sectors_of(one, reads + writes, shape.scale);
  }
  traffic.memory_read += sector * std::max(0.0, l2_misses - touched_by_blocks);
  traffic.memory = traffic.memory_read + written;
  l2.touch(profile.touched, touched);
  return traffic;
}

/// Seconds of device memory. DRAM loses time when it turns from reading to writing, so a byte that
/// is written costs more than one that is read. It costs more yet if all blocks are resident from
/// start to end and loop over the data, as grid-stride rungs of three ladders show: probably
/// because they drift apart, and their reads and writes meet in more pages of DRAM.
double memory_seconds(const Traffic& traffic, const Geometry& shape, const Chip& chip) {
  const bool is_one_wave = shape.blocks <= shape.resident * chip.multiprocessors;
  const double more = is_one_wave ? chip.fitted.written_byte_of_one_wave : chip.fitted.written_byte;
  const double written = traffic.memory - traffic.memory_read;
  return (traffic.memory + more * written) / (memory_share * chip.memory_bytes_per_s);
}

double average(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

double blocks_of(const LaunchProfile& profile) {
  return static_cast<double>(profile.counts.blocks());
}

/// Seconds that all tensor cores of the chip need for this work.
double tensor_seconds(const MatrixWork& work, const Chip& chip, double share) {
  const TensorRates& rates = chip.tensor;
  const double otherwise = operations_per_s(chip, ArithmeticUnit::fma);
  const auto seconds = [&](std::uint64_t multiply_adds, double rate) {
    return 2 * static_cast<double>(multiply_adds) / (rate > 0 ? share * rate : otherwise);
  };
  return seconds(work.f16, rates.f16) + seconds(work.bf16, rates.bf16) +
         seconds(work.tf32, rates.tf32) + seconds(work.f8, rates.f8) + seconds(work.i8, rates.i8);
}

/// Operations of tensor cores in the whole launch.
double tensor_operations(const LaunchProfile& profile) {
  if (is_fill(profile)) return 0;
  return 2 * static_cast<double>(profile.mma.total() + profile.wgmma.total()) * blocks_of(profile) /
         static_cast<double>(profile.blocks_run);
}

/// What the tensor cores need for the blocks that ran, on the whole chip.
struct TensorTime {
  double mma = 0, wgmma = 0;
};

TensorTime tensor_time(const LaunchProfile& profile, const Chip& chip) {
  return {.mma = tensor_seconds(profile.mma, chip, chip.tensor.mma_sync_share),
          .wgmma = tensor_seconds(profile.wgmma, chip, 1)};
}

/// Seconds of the multiply-adds in a block's longest chain, added up over the blocks that ran: a
/// warp has one of the multiprocessor's tensor cores, a warpgroup all of them.
double products_in_chain(const LaunchProfile& profile, const Steps& steps, const Chip& chip) {
  const TensorTime time = tensor_time(profile, chip);
  const double of_mma = steps.mma * time.mma / whole(static_cast<double>(profile.mma.total()));
  const double of_wgmma =
      steps.wgmma * time.wgmma / whole(static_cast<double>(profile.wgmma.total()));
  return chip.multiprocessors * (tensor_cores * of_mma + of_wgmma);
}

/// The chain that so many blocks have together, in seconds for one of them. Loads that are used an
/// iteration later pass while the block works on what it has; if that takes less time than a load,
/// the block waits.
double chain_of(const LaunchProfile& profile, const Steps& steps, double blocks,
                const Traffic& traffic, const Chip& chip) {
  const Fitted& fitted = chip.fitted;
  const AccessCount& shared = profile.counts.shared_load;
  const double wavefronts = whole(average(shared.wavefronts, shared.requests));
  const double from_memory = std::min(1.0, traffic.memory_read / whole(traffic.l2_read));
  const double far =
      from_memory * fitted.memory_latency_s + (1 - from_memory) * fitted.l2_latency_s;
  const double clocks =
      steps.near_loads * l1_latency +
      steps.shared_loads * (shared_latency + fitted.wavefront_latency * (wavefronts - 1)) +
      steps.warp_operations * warp_latency;
  const double work = clocks / chip.clock_hz + products_in_chain(profile, steps, chip);
  const double all = steps.far_loads * far + std::max(work, steps.hidden_loads * far) +
                     steps.barriers * barrier_latency / chip.clock_hz +
                     steps.atomics * fitted.atomic_latency_s;
  return all / blocks + fitted.block_overhead_s;
}

/// Seconds of the blocks that come to a place for blocks, one after the other; one block whose work
/// is much longer than the others' keeps all waiting.
double latency_of(const LaunchProfile& profile, const Geometry& shape, const Traffic& traffic,
                  const Chip& chip) {
  const auto runs = static_cast<double>(profile.blocks_run);
  const double average = chain_of(profile, profile.steps, runs, traffic, chip);
  const double longest = chain_of(profile, profile.longest, 1, traffic, chip);
  return std::max(longest,
                  average * rounds(shape.blocks / (chip.multiprocessors * shape.resident)));
}

/// Shuffles, votes and the like of the blocks that ran: each warp's are those of the block's
/// longest chain. Where barriers join the warps, that chain goes through several of them, and only
/// its own are counted.
double warp_operations(const LaunchProfile& profile, const Geometry& shape) {
  const double warps = profile.steps.barriers > 0 ? 1 : std::ceil(shape.threads / lanes_per_warp);
  return profile.steps.warp_operations * warps;
}

/// Clocks of the L1 and shared memory for the blocks that ran. Requests to device memory look for
/// their lines, one a clock; what they and shared memory move takes one way, 128 bytes a clock.
double l1_clocks(const LaunchProfile& profile, double exchanges) {
  const KernelRecord& counts = profile.counts;
  const auto sectors =
      static_cast<double>(counts.global_load.sectors + counts.global_store.sectors);
  const auto shared = static_cast<double>(
      counts.shared_load.wavefronts + counts.shared_store.wavefronts + profile.shared_atomic_turns);
  const double moved = exchanges + shared + sectors / sectors_per_line;
  return std::max(static_cast<double>(profile.lines), moved);
}

/// Instructions that reach for memory, of warps.
double memory_instructions(const LaunchProfile& profile) {
  const KernelRecord& counts = profile.counts;
  const double requests =
      static_cast<double>(counts.global_load.requests + counts.global_store.requests +
                          counts.shared_load.requests + counts.shared_store.requests);
  return requests - static_cast<double>(profile.async_copies) / lanes_per_warp;
}

/// Seconds in which a block only stores to shared memory: between two barriers its threads have
/// nothing to multiply. The other blocks of the multiprocessor fill the gap, if there are any.
/// Asynchronous copies store while the threads go on.
double storing_alone(const LaunchProfile& profile, const Geometry& shape, const Chip& chip) {
  const AccessCount& stores = profile.counts.shared_store;
  if (profile.steps.barriers == 0 || stores.requests == 0) return 0;
  const double copied = static_cast<double>(profile.async_copies) / lanes_per_warp;
  const double by_threads = std::max(0.0, 1 - copied / static_cast<double>(stores.requests));
  const double of_a_multiprocessor = shape.scale * shape.blocks_of_busiest / shape.blocks;
  return static_cast<double>(stores.wavefronts) * by_threads * of_a_multiprocessor / shape.at_once /
         chip.clock_hz;
}

std::array<std::pair<const char*, double>, 8> named(const Limiters& limiters) {
  return {{{"device memory", limiters.memory},
           {"L2", limiters.l2},
           {"L1 and shared memory", limiters.l1},
           {"instructions", limiters.issue},
           {"arithmetic", limiters.arithmetic},
           {"tensor cores", limiters.tensor},
           {"latency", limiters.latency},
           {"atomics", limiters.atomics}}};
}

/// Bytes that the lanes of the whole launch load, from device or shared memory: what the operations
/// of a call are shared out by.
double loads_of(const LaunchProfile& profile) {
  if (is_fill(profile)) return 0;
  const KernelRecord& counts = profile.counts;
  return static_cast<double>(counts.global_load.bytes + counts.shared_load.bytes) *
         blocks_of(profile) / static_cast<double>(profile.blocks_run);
}

}  // namespace

bool is_fill(const LaunchProfile& profile) {
  return profile.blocks_run == 0;
}

double L2Contents::found(std::uint64_t buffer, double bytes) const {
  for (const Entry& entry : entries_) {
    if (entry.buffer != buffer) continue;
    return bytes * std::clamp(2 - entry.bytes_since / capacity_, 0.0, 1.0);
  }
  return 0;
}

void L2Contents::touch(const std::vector<Touched>& touched, double bytes) {
  for (Entry& entry : entries_) entry.bytes_since += bytes;
  for (const Touched& one : touched) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.buffer == one.buffer; });
    entries_.push_back({one.buffer, bytes});
  }
}

LaunchEstimate estimate_launch(const LaunchProfile& profile, double operations, const Chip& chip,
                               L2Contents& l2) {
  const Geometry shape = geometry_of(profile, chip);
  const Traffic traffic = traffic_of(profile, shape, chip, l2);
  const double on_busiest = shape.blocks_of_busiest / shape.blocks;  // share of the work
  const double clock = chip.clock_hz;
  const Fitted& fitted = chip.fitted;
  const double exchanges = warp_operations(profile, shape);
  const double instructions =
      operations / 2 / lanes_per_warp +
      shape.scale * (fitted.request_instructions * (memory_instructions(profile) + exchanges) +
                     static_cast<double>(profile.matrix_instructions));
  const TensorTime tensor = tensor_time(profile, chip);
  const double hottest =
      static_cast<double>(profile.hottest_atomics) * (profile.hottest_is_shared ? shape.scale : 1);

  LaunchEstimate result;
  result.limiters = {
      .memory = memory_seconds(traffic, shape, chip),
      .l2 = traffic.l2 / (fitted.l2_bytes_per_clock * clock * chip.multiprocessors),
      .l1 = l1_clocks(profile, exchanges) * shape.scale * on_busiest / clock,
      .issue = instructions * on_busiest / (issue_per_clock * clock),
      .arithmetic = operations / 2 * on_busiest / (chip.fma_per_clock * clock),
      .tensor = (tensor.mma + tensor.wgmma) * shape.scale * on_busiest * chip.multiprocessors,
      .latency = latency_of(profile, shape, traffic, chip),
      .atomics = hottest * (profile.hottest_adds_floats ? fitted.float_atomic_s : fitted.atomic_s),
      .alone = storing_alone(profile, shape, chip)};
  result.read_bytes = traffic.memory_read;
  result.written_bytes = traffic.memory - traffic.memory_read;
  result.occupancy = shape.at_once * shape.threads / chip.residency.threads;
  result.registers = profile.registers;
  return result;
}

double combined(const Limiters& limiters, double norm) {
  Limiters one = limiters;
  one.memory = std::max(one.memory, one.l2);  // the same bytes on one way: the slower part counts
  one.l2 = 0;
  double sum = 0;
  for (const auto& [name, seconds] : named(one)) sum += std::pow(seconds, norm);
  return std::pow(sum, 1 / norm) + limiters.alone;
}

std::string largest(const Limiters& limiters) {
  const auto all = named(limiters);
  return std::max_element(all.begin(), all.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<LaunchEstimate> estimate_launches(const std::vector<LaunchProfile>& launches,
                                              const Cost& cost, const Chip& chip) {
  double all_loads = 0, of_tensor_cores = 0;
  for (const LaunchProfile& one : launches) {
    all_loads += loads_of(one);
    of_tensor_cores += tensor_operations(one);
  }
  const double others = std::max(cost.operations - of_tensor_cores, 0.0);

  std::vector<LaunchEstimate> results;
  L2Contents l2(chip.l2_bytes);
  for (const LaunchProfile& one : launches) {
    if (is_fill(one)) continue;
    const double operations = others * loads_of(one) / whole(all_loads);
    results.push_back(estimate_launch(one, operations, chip, l2));
  }
  return results;
}

Estimate estimate(const std::vector<LaunchProfile>& launches, const Cost& cost, const Chip& chip) {
  Estimate result{.chip = chip.id};
  double longest = 0, seconds = chip.fitted.call_overhead_s;
  if (!launches.empty())
    seconds += chip.fitted.next_launch_s * static_cast<double>(launches.size() - 1);
  for (const LaunchEstimate& one : estimate_launches(launches, cost, chip)) {
    const double time = combined(one.limiters, chip.fitted.norm);
    seconds += time;
    result.memory_bytes += one.read_bytes + one.written_bytes;
    if (time <= longest) continue;
    longest = time;
    result.limiter = largest(one.limiters);
    result.occupancy = one.occupancy;
    result.registers = one.registers;
  }
  if (longest < chip.fitted.call_overhead_s / 2) result.limiter = "launch";
  result.us = 1e6 * seconds;
  return result;
}

}  // namespace kata

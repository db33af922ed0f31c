#include "practice/drill/own_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "support/paths.h"
#include "timing/occupancy.h"

namespace kata::drill {
namespace {

constexpr std::size_t most_questions = 3;
constexpr double about = 0.05;        // tolerance of what is counted
constexpr double worth_asking = 1.2;  // sectors, of the fewest

double ratio(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(b, 1));
}

/// One kind of access of one kernel.
struct Access {
  const KernelRecord& kernel;
  const char* words;  ///< "load from"
  const AccessCount& count;
};

/// The one for which `weight` is largest; nothing if it is 0 everywhere.
template <class Weight>
const Access* heaviest(const std::vector<Access>& all, Weight weight) {
  const auto most = std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return weight(a.count) < weight(b.count);
  });
  return most == all.end() || weight(most->count) == 0 ? nullptr : &*most;
}

void add_conflicts(const std::vector<KernelRecord>& kernels, std::vector<Number>& numbers) {
  std::vector<Access> all;
  for (const KernelRecord& one : kernels) {
    all.push_back({one, "load from", one.shared_load});
    all.push_back({one, "store to", one.shared_store});
  }
  const Access* const worst = heaviest(all, [](const AccessCount& one) { return one.conflicts; });
  if (!worst) return;
  const AccessCount& count = worst->count;
  numbers.push_back(
      {fmt::format("How many wavefronts does a warp's {} shared memory take in {}, on average?",
                   worst->words, worst->kernel.name),
       ratio(count.wavefronts, count.requests), about,
       fmt::format("{} wavefronts; laid out without conflicts, {}. The other {} are bank "
                   "conflicts. A padded or swizzled row avoids them.",
                   grouped(static_cast<double>(count.wavefronts)),
                   grouped(static_cast<double>(count.wavefronts - count.conflicts)),
                   grouped(static_cast<double>(count.conflicts)))});
}

void add_sectors(const std::vector<KernelRecord>& kernels, std::vector<Number>& numbers) {
  std::vector<Access> all;
  for (const KernelRecord& one : kernels) {
    all.push_back({one, "load from", one.global_load});
    all.push_back({one, "store to", one.global_store});
  }
  const Access* const worst = heaviest(all, [](const AccessCount& one) {
    return one.sectors - std::min(one.sectors, one.ideal_sectors);
  });
  if (!worst || ratio(worst->count.sectors, worst->count.ideal_sectors) < worth_asking) return;
  const AccessCount& count = worst->count;
  // Else it depends on where rows begin and on how nvcc unrolls the loop.
  if (count.sectors % count.requests != 0) return;
  numbers.push_back(
      {fmt::format("How many sectors of 32 bytes does a warp's {} global memory touch in {}, on "
                   "average?",
                   worst->words, worst->kernel.name),
       ratio(count.sectors, count.requests), about,
       fmt::format("{} sectors for {} requests; the same bytes side by side need {}.",
                   grouped(static_cast<double>(count.sectors)),
                   grouped(static_cast<double>(count.requests)),
                   grouped(static_cast<double>(count.ideal_sectors)))});
}

void add_atomics(const std::vector<KernelRecord>& kernels, std::vector<Number>& numbers) {
  std::uint64_t atomics = 0, threads = 0;
  for (const KernelRecord& one : kernels) {
    atomics += one.atomic.accesses;
    threads += one.atomic.accesses ? one.blocks() * one.block[0] * one.block[1] * one.block[2] : 0;
  }
  if (atomics == 0) return;
  numbers.push_back(
      {"How many atomic operations does one call perform?", static_cast<double>(atomics), about,
       fmt::format("{} atomics from {} threads. Those on one address take turns.",
                   grouped(static_cast<double>(atomics)), grouped(static_cast<double>(threads)))});
}

void add_bytes(const std::vector<KernelRecord>& kernels, const Cost& cost,
               std::vector<Number>& numbers) {
  std::uint64_t bytes = 0;
  for (const KernelRecord& one : kernels) bytes += one.global_load.bytes;
  if (bytes == 0) return;
  numbers.push_back(
      {"How many bytes do its threads load from global memory in one call (before any cache)?",
       static_cast<double>(bytes), about,
       fmt::format("{} bytes: {:.2f} times the {} needed to read each array once.",
                   grouped(static_cast<double>(bytes)),
                   static_cast<double>(bytes) / std::max(cost.bytes_read, 1.0),
                   grouped(cost.bytes_read)),
       Unit::bytes});
}

void add_launches(const std::vector<KernelRecord>& kernels, std::vector<Number>& numbers) {
  std::uint64_t launches = 0;
  for (const KernelRecord& one : kernels) launches += one.launches;
  if (launches < 2) return;
  numbers.push_back({"How many kernels does one call launch?", static_cast<double>(launches), 0,
                     fmt::format("{} launches: each waits for the one before it.", launches)});
}

void add_occupancy(const KernelRecord& kernel, const Chip& chip, std::vector<Number>& numbers) {
  const unsigned threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const unsigned blocks =
      resident_blocks(chip.residency, threads, kernel.shared_bytes, assumed_registers);
  if (blocks == 0) return;
  numbers.push_back(
      {fmt::format("{} How many blocks of {} fit on it, if a thread has {} registers?",
                   room_text(chip), kernel.name, assumed_registers),
       static_cast<double>(blocks), 0,
       fmt::format("{} blocks of {} threads and {} bytes of shared memory: {} of {} threads.",
                   blocks, threads, kernel.shared_bytes, blocks * threads,
                   chip.residency.threads)});
}

}  // namespace

Result<std::vector<Number>> own_counters(const Problem& problem, const Report& report) {
  const bool is_counted =
      std::all_of(report.kernels.begin(), report.kernels.end(),
                  [](const KernelRecord& one) { return one.counted_launches == one.launches; });
  const std::vector<std::string> chips = chip_names();
  if (report.kernels.empty() || !is_counted || chips.empty())
    return Error{"the emulator did not count all of it"};
  const Result<Chip> chip = find_chip(chips.front());
  if (!chip) return chip.error();
  std::vector<Number> numbers;
  add_conflicts(report.kernels, numbers);
  add_sectors(report.kernels, numbers);
  add_atomics(report.kernels, numbers);
  add_launches(report.kernels, numbers);
  add_bytes(report.kernels, problem.cost(report.counted_shape), numbers);
  add_occupancy(report.kernels.front(), *chip, numbers);
  if (numbers.empty()) return Error{"there is nothing to count"};
  numbers.resize(std::min(numbers.size(), most_questions));
  return numbers;
}

Result<std::unique_ptr<Item>> make_own_counters(const Problem& problem,
                                                const std::filesystem::path& place,
                                                const std::string& text) {
  const Report report = judged(problem, place, text);
  if (report.verdict != Verdict::pass) return Error{evidence(problem, report)};
  Result<std::vector<Number>> numbers = own_counters(problem, report);
  if (!numbers) return numbers.error();
  Exercise exercise{
      .setting = fmt::format("Your {} passed. The questions are about one call with "
                             "{}; the answers are what the emulator counts.",
                             shown(place), named_sizes(problem, report.counted_shape)),
      .numbers = std::move(*numbers)};
  return numbers_item(std::move(exercise), "check " + problem.name + " --lines", numbered(text));
}

}  // namespace kata::drill

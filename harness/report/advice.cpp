#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "report/launches.h"
#include "support/text.h"

namespace kata {
namespace {

constexpr double least_share = 0.1;    ///< of the kernel's traffic; see advice.h
constexpr double least_kernel = 0.05;  ///< of the run's traffic: smaller kernels do not matter
constexpr double least_waste = 1.5;  ///< a row that begins anywhere needs 5 sectors for 4: no news
constexpr double few_lanes = 0.5;    ///< of a warp
constexpr double idle_lanes = 0.4;   ///< of all lanes of the kernel's requests
constexpr double times_over = 8;  ///< by one line; a tile of 32 already reads a matrix n/32 times
constexpr std::size_t most_sentences = 5;

struct Advice {
  double cost;  ///< transfers of the run that it is about
  Finding finding;
};

double ratio(std::uint64_t a, std::uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// What is slow, and the usual remedy.
struct AdviceText {
  std::string message, note;
};

Finding finding(FindingKind kind, const LineRecord& line, const std::string& kernel,
                const AdviceText& words) {
  return {.kind = kind,
          .severity = Severity::advice,
          .file = line.file,
          .line = line.line,
          .kernel = kernel,
          .message = words.message,
          .note = words.note};
}

AdviceText coalescing(const AccessCount& count, std::uint64_t kernel_sectors) {
  const std::int64_t stride = std::abs(count.worst.stride);
  const bool is_near = stride > 4 && stride <= 16;  // one field of a struct, or of a pair
  return {fmt::format("{}: {} sectors where {} would do, and {} of the kernel's sectors",
                      count.worst.pattern, count.worst.needed, count.worst.ideal,
                      percent(ratio(count.sectors, kernel_sectors))),
          is_near
              ? "if what lies between is needed too, load or store it at once (float2, float4, a "
                "whole struct); if not, keep it in another array"
              : remedy_of(FindingKind::uncoalesced)};
}

AdviceText conflict(const AccessCount& count, std::uint64_t kernel_wavefronts) {
  const bool all_banks = count.worst.stride != 0 && count.worst.stride % 128 == 0;
  return {
      fmt::format("{}{}: a {}-way conflict, and {} of the kernel's wavefronts", count.worst.pattern,
                  all_banks ? " (the stride is a multiple of the 32 banks)" : "",
                  count.worst.needed / std::max(count.worst.ideal, 1u),
                  percent(ratio(count.wavefronts, kernel_wavefronts))),
      remedy_of(FindingKind::bank_conflict)};
}

AdviceText contention(const AccessCount& count) {
  return {fmt::format("{}: they take {} turns", count.worst.pattern, count.worst.needed),
          remedy_of(FindingKind::contention)};
}

struct Totals {
  std::uint64_t all = 0, sectors = 0, wavefronts = 0, requests = 0;
};

Totals totals_of(const KernelRecord& kernel) {
  Totals totals{.all = transfers(kernel)};
  totals.sectors = kernel.global_load.sectors + kernel.global_store.sectors;
  totals.wavefronts = kernel.shared_load.wavefronts + kernel.shared_store.wavefronts;
  for (const AccessCount* count : {&kernel.global_load, &kernel.global_store, &kernel.shared_load,
                                   &kernel.shared_store, &kernel.atomic})
    totals.requests += count->requests_with_lanes();
  return totals;
}

void advise_on_transfers(const KernelRecord& kernel, const LineRecord& line, const Totals& totals,
                         std::vector<Advice>& result) {
  const auto matters = [&](const AccessCount& count) {
    const auto fewest = transfers(count) - excess(count);
    return ratio(excess(count), totals.all) >= least_share &&
           ratio(transfers(count), fewest) >= least_waste;
  };
  const auto add = [&](FindingKind kind, const AccessCount& count, const AdviceText& words) {
    result.push_back({static_cast<double>(excess(count)), finding(kind, line, kernel.name, words)});
  };
  for (const AccessCount* count : {&line.global_load, &line.global_store}) {
    if (matters(*count)) add(FindingKind::uncoalesced, *count, coalescing(*count, totals.sectors));
  }
  for (const AccessCount* count : {&line.shared_load, &line.shared_store}) {
    if (matters(*count))
      add(FindingKind::bank_conflict, *count, conflict(*count, totals.wavefronts));
  }
  if (matters(line.atomic)) add(FindingKind::contention, line.atomic, contention(line.atomic));
}

/// Whether one block was launched, and no line of it has more lanes at work: as of 3 rows, one for
/// each thread. The case has too little work for a warp, and says nothing about larger ones.
bool is_short_of_work(const KernelRecord& kernel, double lanes) {
  if (kernel.blocks() > 1) return false;
  double most = 0;
  for (const LineRecord& line : kernel.lines) {
    for (const AccessCount* count : {&line.global_load, &line.global_store, &line.shared_load,
                                     &line.shared_store, &line.atomic})
      most = std::max(most, count->active_lanes());
  }
  return most <= 1.1 * lanes;
}

/// Lanes that sit a request out. One lane that speaks for its warp is meant to be alone.
void advise_on_divergence(const KernelRecord& kernel, const LineRecord& line, const Totals& totals,
                          std::vector<Advice>& result) {
  const unsigned threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const double warp = std::min(threads, 32u);
  std::uint64_t requests = 0, accesses = 0;
  for (const AccessCount* count : {&line.global_load, &line.global_store, &line.shared_load,
                                   &line.shared_store, &line.atomic}) {
    requests += count->requests_with_lanes();
    accesses += count->accesses;
  }
  const double lanes = ratio(accesses, requests);
  const double lost = static_cast<double>(requests) * (1 - lanes / warp);
  if (accesses <= requests || lanes > few_lanes * warp) return;
  if (is_short_of_work(kernel, lanes)) return;
  if (lost < idle_lanes * static_cast<double>(totals.requests)) return;
  const double share = ratio(requests, totals.requests);
  const AdviceText words{
      fmt::format("{:.1f} of {:.0f} lanes take part on average, in {} of the kernel's requests",
                  lanes, warp, percent(share)),
      remedy_of(FindingKind::divergence)};
  result.push_back({lost, finding(FindingKind::divergence, line, kernel.name, words)});
}

/// What one line reads of a buffer, in the launch where it reads most.
struct Reading {
  std::string kernel;
  BufferRead read;
  double times = 0;        ///< that the whole buffer would have been read
  bool is_shared = false;  ///< the block keeps it in shared memory already
};

struct BufferReadings {
  std::vector<Reading> lines;

  void add(const Reading& one) {
    for (Reading& known : lines) {
      if (known.read.file != one.read.file || known.read.line != one.read.line) continue;
      if (one.times > known.times) known = one;
      return;
    }
    lines.push_back(one);
  }
  double times() const {
    double sum = 0;
    for (const Reading& one : lines) sum += one.times;
    return sum;
  }
};

/// Whether what the line loads goes to shared memory: it stores there itself or, where it loads the
/// buffer many times over, the kernel stores about as much there.
bool is_shared(const KernelRecord& kernel, const BufferRead& read, double times) {
  const auto line = std::ranges::find_if(kernel.lines, [&](const LineRecord& one) {
    return one.file == read.file && one.line == read.line;
  });
  if (line == kernel.lines.end()) return false;
  if (line->shared_store.accesses > 0) return true;
  return times >= times_over && 2 * kernel.shared_store.bytes >= line->global_load.bytes &&
         kernel.shared_store.bytes > 0;
}

/// A buffer with under a tenth of the bytes that its launch touches stays in a cache.
std::map<std::string, BufferReadings> readings_of(const std::vector<KernelRecord>& kernels) {
  constexpr double sector_bytes = 32;
  std::map<std::string, BufferReadings> buffers;
  for (const KernelRecord& kernel : kernels) {
    std::uint64_t bytes = 0;
    for (const BufferRecord& buffer : kernel.buffers) bytes += buffer.bytes;
    for (const BufferRecord& buffer : kernel.buffers) {
      if (ratio(buffer.bytes, bytes) < least_share) continue;
      for (const BufferRead& read : buffer.reads) {
        const double times = sector_bytes * ratio(read.ideal_sectors, buffer.bytes);
        const bool shared = is_shared(kernel, read, times);
        if (times > 0.9 && !(shared && times >= times_over))
          buffers[buffer.name].add({kernel.name, read, times, shared});
      }
    }
  }
  return buffers;
}

std::string lines_in_words(const std::vector<Reading>& lines) {
  if (lines.size() == 1) return "here";
  std::vector<std::string> numbers;
  for (const Reading& one : lines) numbers.push_back(std::to_string(one.read.line));
  return "in lines " + listed(std::move(numbers));
}

/// Buffers that one line reads again are reported together.
void add_reread(const Reading& worst, const std::string& message, double cost,
                std::vector<Advice>& found) {
  for (Advice& known : found) {
    if (known.finding.file != worst.read.file || known.finding.line != worst.read.line) continue;
    known.finding.message += "; " + message;
    known.cost += cost;
    return;
  }
  const LineRecord line{.file = worst.read.file, .line = worst.read.line};
  found.push_back({cost, finding(FindingKind::reread, line, worst.kernel,
                                 {message, remedy_of(FindingKind::reread)})});
}

void advise_on_rereads(const std::vector<KernelRecord>& kernels, std::uint64_t total,
                       std::vector<Advice>& result) {
  std::vector<Advice> found;
  for (const auto& [name, readings] : readings_of(kernels)) {
    const auto worst = std::ranges::max_element(
        readings.lines, {}, [](const Reading& one) { return one.is_shared ? 0 : one.times; });
    const bool passes = readings.lines.size() > 1;
    if (worst->is_shared || (!passes && worst->times < times_over)) continue;
    double cost = 0;
    for (const Reading& one : readings.lines) cost += static_cast<double>(one.read.ideal_sectors);
    cost *= 1 - 1 / readings.times();
    if (cost < least_share * static_cast<double>(total)) continue;
    add_reread(*worst,
               fmt::format("{} is read {:.0f} times over, {}", name, readings.times(),
                           lines_in_words(readings.lines)),
               cost, found);
  }
  result.insert(result.end(), found.begin(), found.end());
}

}  // namespace

const char* remedy_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::uncoalesced:
      return "let neighbouring lanes (threadIdx.x) use neighbouring addresses";
    case FindingKind::bank_conflict:
      return "spread the lanes over all banks: neighbouring words, rows padded by one element, or "
             "permuted columns";
    case FindingKind::contention:
      return "combine the values of a warp or block first, then let one lane update";
    case FindingKind::divergence:
      return "let whole warps be active or idle: give the work to neighbouring threads";
    default:
      return "keep what is read again in registers or in shared memory";
  }
}

std::vector<Finding> advice(const std::vector<KernelRecord>& kernels, bool of_program) {
  std::vector<Advice> found;
  std::uint64_t total = 0;
  for (const KernelRecord& kernel : kernels) total += transfers(kernel);
  for (const KernelSum& one : by_kernel(kernels)) {
    const Totals totals = totals_of(one.sum);
    if (ratio(totals.all, total) < least_kernel) continue;
    for (const LineRecord& line : one.sum.lines) {
      advise_on_transfers(one.sum, line, totals, found);
      advise_on_divergence(one.sum, line, totals, found);
    }
  }
  if (!of_program) advise_on_rereads(kernels, total, found);
  for (const KernelRecord& kernel : kernels) {
    if (of_program && kernel.launches == 1) advise_on_rereads({kernel}, total, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Advice& a, const Advice& b) { return a.cost > b.cost; });
  std::vector<Finding> result;
  for (const Advice& one : found) {
    const bool known_line = std::any_of(result.begin(), result.end(), [&](const Finding& known) {
      return std::tie(known.kind, known.file, known.line) ==
             std::tie(one.finding.kind, one.finding.file, one.finding.line);
    });
    if (!known_line && result.size() < most_sentences) result.push_back(one.finding);
  }
  return result;
}

}  // namespace kata

#include "diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "practice/drill/counters_text.h"
#include "practice/drill/timed_ladder.h"
#include "report/advice.h"
#include "timing/roof.h"

namespace kata::diagnose {
namespace {

using drill::Causes;

constexpr std::size_t most_causes = 3;
constexpr std::size_t most_lines = 2;
constexpr double least_share = 0.1;  // of a cause: a line with less is not its place
constexpr double near = 1.25;        // times the limit

/// What a line adds to a cause, and in which words.
struct Measure {
  const char* counted;
  double (*of)(const LineRecord&);
};

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

std::optional<Measure> measure_of(Cause cause) {
  switch (cause) {
    case Cause::coalescing:
      return Measure{"of the sectors beyond the fewest", [](const LineRecord& line) {
                       return number(line.global_load.sectors - line.global_load.ideal_sectors +
                                     line.global_store.sectors - line.global_store.ideal_sectors);
                     }};
    case Cause::conflicts:
      return Measure{"of the bank conflicts", [](const LineRecord& line) {
                       return number(line.shared_load.conflicts + line.shared_store.conflicts);
                     }};
    case Cause::atomics:
      return Measure{"of the atomics' turns",
                     [](const LineRecord& line) { return number(line.atomic.turns); }};
    case Cause::traffic:
      return Measure{"of the sectors", [](const LineRecord& line) {
                       return number(line.global_load.sectors + line.global_store.sectors);
                     }};
    case Cause::latency:
      return Measure{"of the loads from device memory",
                     [](const LineRecord& line) { return number(line.global_load.requests); }};
    case Cause::on_chip: {
      constexpr double sectors_per_wavefront = 4;
      return Measure{"of what L1 and shared memory deliver", [](const LineRecord& line) {
                       return number(line.shared_load.wavefronts + line.shared_store.wavefronts) +
                              number(line.global_load.sectors) / sectors_per_wavefront;
                     }};
    }
    default:
      return {};
  }
}

std::vector<Line> lines_with(Cause cause, const std::vector<KernelRecord>& counted) {
  const std::optional<Measure> measure = measure_of(cause);
  if (!measure) return {};
  std::vector<Line> lines;
  double all = 0;
  for (const KernelRecord& kernel : counted) {
    for (const LineRecord& one : kernel.lines) {
      const double amount = measure->of(one);
      all += amount;
      const auto known = std::ranges::find_if(
          lines, [&](const Line& line) { return line.file == one.file && line.line == one.line; });
      if (known != lines.end())
        known->share += amount;
      else if (one.line > 0)
        lines.push_back({one.file, one.line, amount, measure->counted});
    }
  }
  for (Line& one : lines) one.share /= std::max(all, 1.0);
  std::erase_if(lines, [](const Line& one) { return one.share < least_share; });
  std::ranges::stable_sort(lines, std::greater(), &Line::share);
  lines.resize(std::min(lines.size(), most_lines));
  return lines;
}

/// Whether the values of a block are combined before the atomics: a block has one at most.
bool updates_once_a_block(const std::vector<LaunchProfile>& launches) {
  return std::ranges::all_of(launches, [](const LaunchProfile& one) {
    return one.counts.atomic.accesses <= one.blocks_run;
  });
}

/// Why no cause is named first: nothing costs much, or several cost the same.
std::string why_not(const Causes& causes, const std::vector<Cause>& sorted) {
  if (sorted.size() > 1 && causes.gain(sorted[0]) >= drill::worth_naming)
    return fmt::format(
        "no cause stands out: without {} it would be {} times as fast, without {} {} "
        "times",
        to_string(sorted[0]), drill::factor_text(causes.gain(sorted[0])), to_string(sorted[1]),
        drill::factor_text(causes.gain(sorted[1])));
  return sorted.empty() ? std::string("the model finds nothing that costs time")
                        : fmt::format(
                              "the cause that costs most, {}, costs little: without it the kernel "
                              "would be {} times as fast",
                              to_string(sorted[0]), drill::factor_text(causes.gain(sorted[0])));
}

}  // namespace

Diagnosis diagnose(const std::vector<LaunchProfile>& launches,
                   const std::vector<KernelRecord>& counted, const Cost& cost, const Chip& chip) {
  const Causes causes = drill::causes_of(launches, cost, chip);
  Diagnosis result{.us = causes.us, .limit_us = datasheet_limit_us(cost, chip)};
  std::vector<Cause> order = drill::by_gain(causes);
  if (const std::optional<Cause> first = causes.main()) {
    result.outcome = Outcome::advice;
    std::erase(order, *first);
    order.insert(order.begin(), *first);
  } else {
    if (!order.empty() && causes.gain(order[0]) >= drill::worth_naming)
      result.outcome = Outcome::cannot_say;
    else if (result.us <= near * result.limit_us)
      result.outcome = Outcome::near_limit;
    result.reason = why_not(causes, order);
  }
  order.resize(std::min(order.size(), most_causes));
  for (const Cause one : order)
    result.causes.push_back({one, causes.gain(one), drill::evidence_of(one, launches, cost, chip),
                             lines_with(one, counted), remedy_of(one, launches)});
  return result;
}

std::string remedy_of(Cause cause, const std::vector<LaunchProfile>& launches) {
  switch (cause) {
    case Cause::coalescing:
      return kata::remedy_of(FindingKind::uncoalesced);
    case Cause::conflicts:
      return kata::remedy_of(FindingKind::bank_conflict);
    case Cause::atomics:
      return updates_once_a_block(launches)
                 ? "use fewer blocks with more elements each, or store a partial result of each "
                   "block and combine them in a second pass"
                 : kata::remedy_of(FindingKind::contention);
    case Cause::occupancy:
      return "use fewer registers or less shared memory in each block, so that more blocks fit";
    case Cause::imbalance:
      return "give every block the same amount of work";
    case Cause::launches:
      return "do the work of several launches in one";
    case Cause::traffic:
      return "read and write each byte once: keep what is used again on the chip, and merge passes";
    case Cause::tail:
      return "make enough blocks for all multiprocessors: split the work further, or let a grid "
             "that "
             "fits once loop over it";
    case Cause::latency:
      return "put more independent loads in flight: several elements or wider loads per thread, or "
             "loads issued ahead of their use";
    case Cause::on_chip:
      return "load each value once and use it for more operations: a tile in registers, wider "
             "loads";
    case Cause::instructions:
      return "do more with each instruction: wider loads, fewer index computations and divisions";
    case Cause::arithmetic:
      return "use a faster unit, such as tensor cores, or an algorithm with fewer operations";
  }
  return {};
}

void to_json(nlohmann::json& json, const Diagnosis& diagnosis) {
  constexpr const char* outcomes[] = {"advice", "near_limit", "cannot_say"};
  json = {{"outcome", outcomes[static_cast<std::size_t>(diagnosis.outcome)]},
          {"estimated_us", diagnosis.us},
          {"limit_us", diagnosis.limit_us},
          {"causes", nlohmann::json::array()}};
  if (!diagnosis.reason.empty()) json["reason"] = diagnosis.reason;
  for (const Advice& one : diagnosis.causes) {
    nlohmann::json lines = nlohmann::json::array();
    for (const Line& line : one.lines)
      lines.push_back({{"file", line.file}, {"line", line.line}, {"share", line.share}});
    json["causes"].push_back({{"cause", to_string(one.cause)},
                              {"meaning", meaning_of(one.cause)},
                              {"gain", one.gain},
                              {"evidence", one.evidence},
                              {"remedy", one.remedy},
                              {"lines", lines}});
  }
}

}  // namespace kata::diagnose

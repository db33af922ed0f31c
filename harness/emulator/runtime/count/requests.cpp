#include "emulator/runtime/count/requests.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "emulator/runtime/count/bypass_copies.h"
#include "emulator/runtime/count/lanes.h"

namespace kata::emulator {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // spreads bits

Instruction unpacked(std::uint64_t instruction) {
  return {reinterpret_cast<const void*>(instruction << 8 >> 16),
          static_cast<AccessKind>(instruction >> 4 & 15),
          static_cast<unsigned>(instruction >> 1 & 7), static_cast<unsigned>(instruction >> 56)};
}

Transfers transfers(const Request& request, const Instruction& instruction) {
  const unsigned width = 1u << instruction.log2_width;
  switch (instruction.kind) {
    case AccessKind::global_load:
    case AccessKind::global_store:
      return sectors(request, width);
    case AccessKind::shared_load:
    case AccessKind::shared_store:
      return wavefronts(request, width, instruction.kind == AccessKind::shared_load);
    default:
      return turns(request);
  }
}

/// Of a step of the trace; copies need the steps beside theirs.
Transfers transfers(const WarpTrace& trace, unsigned i, const Request& request,
                    const Instruction& instruction) {
  if (trace.feeds_bypass(i)) return bypass_sectors(request, trace.request(i + 2));
  const std::optional<AccessKind> source = trace.source(i);
  if (!source || source == AccessKind::no_source || source == AccessKind::by_matrix)
    return transfers(request, instruction);
  const Request from = trace.request(i - 1);
  return source == AccessKind::bypass_source
             ? bypass_turns(from, request)
             : copy_wavefronts(from, request, 1u << instruction.log2_width);
}

/// The place of those loads (loads_before_copies).
std::uint64_t loads_before(std::uint64_t copy) {
  return packed(unpacked(copy).code, AccessKind::shared_load, 2, false, unpacked(copy).copy);
}

std::uint64_t first_address(const Request& request) {
  return request.address(static_cast<unsigned>(std::countr_zero(request.lanes)));
}

}  // namespace

// ---- a warp's steps

/// The step of a lane that is not at the one where it was expected, or is the first to come there.
unsigned WarpTrace::find(unsigned lane, std::uint64_t instruction, std::uint64_t iteration,
                         std::uint64_t address) {
  in_step_ &= next_[lane] == size_;
  const unsigned known = in_step_ ? none : find_out_of_step(lane, instruction, iteration);
  return known != none || !may_append(lane) ? known : append(lane, instruction, iteration, address);
}

/// A full sequence still takes what a lane does that has far to go to its end: the rest of an
/// unrolled loop, which comes before the steps of the lanes that have none. Else the lane would
/// wait there, and be apart from the others from then on.
bool WarpTrace::may_append(unsigned lane) const {
  if (size_ < most) return true;
  const unsigned next = next_[lane];
  if (next > 0 && is_copy_source(unpacked(steps_[next - 1].instruction).kind))
    return true;                                                   // the two belong together
  const bool lags = next_[lane] < most / 2 || next_[lane] > most;  // or did when it added to it
  return lags && size_ < most_of_laggards;
}

/// The first such step that the lane has not taken: its nth visit is part of the nth of them.
unsigned WarpTrace::find_out_of_step(unsigned lane, std::uint64_t instruction,
                                     std::uint64_t iteration) {
  while (indexed_ < size_) index(indexed_++);
  const auto chain = chains_.find(instruction ^ iteration * golden);
  if (chain == chains_.end()) return none;
  const Step& last = steps_[next_[lane] == 0 ? size_ : next_[lane] - 1];
  const bool again = last.instruction == instruction && last.iteration == iteration;
  unsigned i = again ? last.again : chain->second.first;
  while (i != none && !steps_[i].awaits(lane, instruction, iteration)) i = steps_[i].again;
  return i;
}

void WarpTrace::index(unsigned i) {
  const std::uint64_t key = steps_[i].instruction ^ steps_[i].iteration * golden;
  const auto [chain, is_new] = chains_.try_emplace(key, Chain{i, i});
  if (is_new) return;
  steps_[chain->second.last].again = i;
  chain->second.last = i;
}

unsigned WarpTrace::append(unsigned lane, std::uint64_t instruction, std::uint64_t iteration,
                           std::uint64_t address) {
  Run run = next_[lane] == 0 ? Run{} : steps_[next_[lane] - 1].run;
  const Instruction what = unpacked(instruction);
  const bool is_plain = instruction & 1;
  if (is_shared(what.kind) && (run.kind != what.kind || !is_plain))
    run = {is_plain ? what.kind : AccessKind::shared_atomic, ++runs_};
  steps_[size_] = {instruction, iteration, address, predicate_[lane], 0, none, run};
  if (size_ + 1 == stride_) grow();
  steps_[size_ + 1].instruction = 0;
  return size_++;
}

void WarpTrace::grow() {
  const unsigned stride = stride_ == 0 ? 80 : stride_ * 4 + 16;  // no power of two: cache sets
  std::vector<std::uint32_t> where(32 * std::size_t{stride});
  for (unsigned lane = 0; lane < 32; ++lane)
    std::copy_n(where_.data() + lane * stride_, stride_, where.data() + lane * stride);
  where_ = std::move(where);
  steps_.resize(stride);
  stride_ = stride;
}

Request WarpTrace::request(unsigned i) const {
  Request result;
  result.lanes = steps_[i].lanes;
  result.base = (steps_[i].first & ~std::uint64_t{127}) - (std::uint64_t{1} << 31);
  const auto base = static_cast<std::uint32_t>(result.base);
  for (unsigned lane = 0; lane < 32; ++lane) result.where[lane] = where_[lane * stride_ + i] - base;
  return result;
}

std::optional<AccessKind> WarpTrace::source(unsigned i) const {
  if (i == 0) return {};
  const Instruction before = unpacked(steps_[i - 1].instruction);
  const Instruction here = unpacked(steps_[i].instruction);
  const bool may_have =
      here.kind == AccessKind::shared_store ||
      (here.kind == AccessKind::shared_load && before.kind == AccessKind::by_matrix);
  if (!is_copy_source(before.kind) || !may_have || here.code != before.code ||
      steps_[i].lanes != steps_[i - 1].lanes)
    return {};
  return before.kind;
}

bool WarpTrace::feeds_bypass(unsigned i) const {
  const Instruction here = unpacked(steps_[i].instruction);
  if (here.kind != AccessKind::global_load || i + 2 >= size_ ||
      source(i + 2) != AccessKind::bypass_source)
    return false;
  const Instruction copy = unpacked(steps_[i + 2].instruction);
  return here.code == copy.code && here.log2_width == copy.log2_width &&
         (steps_[i].lanes & ~steps_[i + 2].lanes) == 0;
}

void WarpTrace::clear() {
  size_ = indexed_ = runs_ = 0;
  steps_[0].instruction = 0;
  next_.fill(0);
  in_step_ = true;
  if (!chains_.empty()) chains_.clear();
}

// ---- an OS thread's requests

WarpTrace* Requests::take() {
  if (spare_.empty()) spare_.push_back(all_.emplace_back(std::make_unique<WarpTrace>()).get());
  WarpTrace* trace = spare_.back();
  spare_.pop_back();
  return trace;
}

void Requests::put_back(WarpTrace*& trace) {
  if (!trace) return;
  trace->clear();
  trace->forget_predicates();
  spare_.push_back(std::exchange(trace, nullptr));
}

unsigned Requests::number_of(std::uint64_t instruction) {
  Known& known = recent_[instruction * golden >> 56];
  if (known.instruction == instruction) [[likely]]
    return known.number;
  const auto [found, is_new] =
      numbers_.try_emplace(instruction, static_cast<unsigned>(instructions_.size()));
  if (is_new) {
    instructions_.push_back(unpacked(instruction));
    counts_.emplace_back();
  }
  known = {instruction, found->second};
  return found->second;
}

void Requests::count_all(WarpTrace& trace, std::uint64_t order) {
  std::optional<std::uint32_t> run_of_copies;
  for (unsigned i = 0; i < trace.size(); ++i) {
    const unsigned number = number_of(trace.instruction(i));
    const Instruction instruction = instructions_[number];
    if (is_copy_source(instruction.kind)) continue;
    const Request request = trace.request(i);
    if (instruction.kind == AccessKind::predicate) {
      count_predicate(trace.instruction(i), request);
      continue;
    }
    const std::optional<AccessKind> source = trace.source(i);
    const bool is_copy = source && source != AccessKind::by_matrix;
    const Transfers moved = transfers(trace, i, request, instruction);
    counts_[number].add(request, moved, order);
    if (source) counts_[number].set_apart(moved);
    // Copies that are switched off count nowhere, but the loads before them.
    if (trace.predicate(i) != 0)
      counts_[is_copy ? number_of(loads_before(trace.instruction(i))) : number].predicate =
          unpacked(trace.predicate(i));
    if (is_copy && std::exchange(run_of_copies, trace.point(i).run) != trace.point(i).run)
      counts_[number_of(loads_before(trace.instruction(i)))].add_switched_off(loads_before_copies);
    if (!source && Merges::may_merge(instruction))
      candidates_.push_back({trace.point(i), instruction, request, first_address(request)});
  }
  merges_.add(candidates_, order);
  candidates_.clear();
  trace.clear();
}

/// A warp of which no lane has the one value, or the other.
void Requests::count_predicate(std::uint64_t instruction, const Request& request) {
  bool found[2] = {false, false};
  for_each_lane(request.lanes, [&](unsigned lane) { found[request.address(lane) & 1] = true; });
  for (const bool value : {false, true}) {
    if (!found[value]) ++counts_[number_of(side_of(instruction, value))].requests;
  }
}

void Requests::take_counts(InstructionCounts& sum, MergeCounts& merges) {
  merges_.take(merges);
  for (unsigned number = 0; number < counts_.size(); ++number) {
    if (counts_[number].requests == 0) continue;
    sum[instructions_[number]].merge(counts_[number]);
    counts_[number] = {};
  }
}

}  // namespace kata::emulator

#include <fmt/format.h>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"

namespace kata::emulator {
namespace {

const char* name_of(WarpOp op) {
  switch (op) {
    case WarpOp::shfl_idx:
      return "__shfl_sync()";
    case WarpOp::shfl_up:
      return "__shfl_up_sync()";
    case WarpOp::shfl_down:
      return "__shfl_down_sync()";
    case WarpOp::shfl_xor:
      return "__shfl_xor_sync()";
    case WarpOp::ballot:
      return "__ballot_sync()";
    case WarpOp::any:
      return "__any_sync()";
    case WarpOp::all:
      return "__all_sync()";
    case WarpOp::match_any:
      return "__match_any_sync()";
    case WarpOp::match_all:
      return "__match_all_sync()";
    case WarpOp::elect:
      return "elect.sync";
    case WarpOp::sync:
      return "__syncwarp()";
    case WarpOp::collective:
      return "a matrix instruction of the warp";
    default:
      return "a __reduce_sync() function";
  }
}

const char* name_of(const Deadlock& fault) {
  switch (fault.at) {
    case WaitsAt::block_barrier:
      return "__syncthreads()";
    case WaitsAt::warp_operation:
      return name_of(fault.op);
    case WaitsAt::grid_barrier:
      return "grid.sync()";
    case WaitsAt::named_barrier:
      return "a named barrier (bar.sync)";
    case WaitsAt::mbarrier:
      return "an mbarrier";
    case WaitsAt::cluster_barrier:
      return "cluster.sync()";
    case WaitsAt::warpgroup:
      return "wgmma.wait_group for the rest of its warpgroup";
    case WaitsAt::registers:
      return "setmaxnreg.inc";
  }
  return "";
}

}  // namespace

Words describe(const BarrierNotInitialized&, const Circumstances& c) {
  return {.kind = FindingKind::uninitialized,
          .message = c.who() + " uses an mbarrier (cuda::barrier) that no thread has initialised",
          .note =
              "let one thread call init(&barrier, count) or mbarrier.init, then "
              "__syncthreads()"};
}

Words describe(const BarrierExited& fault, const Circumstances& c) {
  const bool may_end = fault.whole_warps && c.launch.options.warps_may_end;
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format(
              "{} of block {} had returned or skipped this barrier (for example thread {}) when "
              "the others met at __syncthreads()",
              plural(fault.exited, "thread", "threads"), block_name(c.launch, c.incident.block),
              thread_name(c.launch, fault.exited_thread)),
          .severity = may_end ? Severity::warning : Severity::error,
          .note = std::string("every thread of the block must reach the barrier: put the work "
                              "under the condition, not the barrier or a return before it") +
                  (fault.whole_warps ? ". A device goes on: whole warps have ended" : ""),
          .object = "__syncthreads"};
}

Words describe(const BarrierMixed& fault, const Circumstances& c) {
  const bool may_mix = fault.whole_warps && c.launch.options.warps_may_end;
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format(
              "thread {} of block {} waits at this __syncthreads() while thread "
              "{} waits at the one in {}",
              thread_name(c.launch, c.incident.thread), block_name(c.launch, c.incident.block),
              thread_name(c.launch, fault.other_thread), line_name(fault.other, c.incident.place)),
          .severity = may_mix ? Severity::warning : Severity::error,
          .note = std::string("all threads of a block must meet at the same barrier") +
                  (fault.whole_warps ? ". A device goes on: each warp meets as a whole" : ""),
          .object = "__syncthreads"};
}

Words describe(const MaskWithoutCaller& fault, const Circumstances& c) {
  return {FindingKind::barrier_divergence,
          fmt::format("{} calls {} with mask {:#010x}, which does not name its own lane {}",
                      c.who(), name_of(fault.op), fault.mask, c.incident.thread % 32)};
}

Words describe(const MaskExited& fault, const Circumstances& c) {
  return {FindingKind::barrier_divergence,
          fmt::format("{} calls {} with a mask that names lanes that have returned or skipped it "
                      "({:#010x})",
                      c.who(), name_of(fault.op), fault.exited),
          Severity::warning};
}

Words describe(const MaskElsewhere& fault, const Circumstances& c) {
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format("{} calls {} with mask {:#010x} in a loop that lanes {:#010x} of "
                                 "the mask have left since the last one, and begun again: which "
                                 "lanes meet is undefined",
                                 c.who(), name_of(fault.op), fault.mask, fault.lanes),
          .note =
              "let all lanes of the mask run the loop equally often, and put what depends on the "
              "lane under a condition in it",
          .object = name_of(fault.op)};
}

Words describe(const ShuffleFromNobody& fault, const Circumstances& c) {
  const char* const why = fault.why == ShuffleFromNobody::exited
                              ? "that lane has returned or skipped it"
                          : fault.why == ShuffleFromNobody::not_in_mask
                              ? "the mask does not name that lane"
                              : "the block has no such thread: its last warp is not full";
  const bool exited = fault.why == ShuffleFromNobody::exited;
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format("{} reads lane {} in {}, but {}, so the value is undefined",
                                 c.who(), fault.source, name_of(fault.op), why),
          .severity = exited ? Severity::error : Severity::warning,
          .note = exited ? "let all lanes of the warp take part"
                         : "use the value only where the lane that it comes from takes part"};
}

Words describe(const Deadlock& fault, const Circumstances& c) {
  std::string text = fmt::format("{} waits at {} for ever", c.who(), name_of(fault));
  if (fault.other != Place{}) {
    text += fmt::format(", while thread {} waits in {}", thread_name(c.launch, fault.other_thread),
                        line_name(fault.other, c.incident.place));
    if (fault.other_missing) text += " (" + missing_in_words(*fault.other_missing, c) + ")";
  }
  if (fault.at == WaitsAt::mbarrier) text += ": " + missing_in_words(fault.missing, c);
  if (fault.exited > 0) {
    text += fmt::format(" ({} of the block returned or skipped it)",
                        plural(fault.exited, "thread", "threads"));
  }
  const char* const note =
      fault.at == WaitsAt::registers
          ? "a block has at most 65536 registers, which its threads share evenly at launch: what "
            "one warpgroup gets with .inc, others have to give with .dec"
          : "";
  return {.kind = FindingKind::deadlock, .message = text, .note = note};
}

Words describe(const NeverResident& fault, const Circumstances& c) {
  return {.kind = FindingKind::deadlock,
          .message = fmt::format("{} waits here for a block that cannot begin: {} blocks of this "
                                 "launch fit on the device at once, all of them wait, and the grid "
                                 "has {}",
                                 c.who(), fault.capacity, c.launch.blocks),
          .note =
              "let a block wait only for blocks that began before it (its number from an "
              "atomic counter, not blockIdx), or launch no more than fit"};
}

Words describe(const GridIncomplete& fault, const Circumstances& c) {
  return {FindingKind::deadlock,
          fmt::format("{} waits at grid.sync() for ever: {} of the grid returned without it",
                      c.who(), plural(fault.exited, "block", "blocks"))};
}

}  // namespace kata::emulator

#include <fmt/format.h>

#include <map>
#include <string>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"

namespace kata::emulator {

Words describe(const AsyncStillReads& fault, const Circumstances& c) {
  const bool is_copy = fault.by == Accessor::bulk_copy;
  const char* const writes =
      fault.access.by == Accessor::bulk_copy ? "has a bulk copy write" : "writes";
  return {.kind = FindingKind::race,
          .message = fmt::format("{} {} {} while the {} of {} may still read it", c.who(), writes,
                                 name_of(fault.access, c.launch), is_copy ? "bulk copy" : "wgmma",
                                 line_name(fault.read, c.incident.place)),
          .note = is_copy ? "the thread that issued the copy must commit it and wait "
                            "(cp.async.bulk.wait_group.read 0), then all meet at a barrier"
                          : "wait for the wgmma (wgmma.wait_group), then meet at a barrier",
          .object = object_of(fault.access, c.launch)};
}

Words describe(const AsyncNotFenced& fault, const Circumstances& c) {
  const auto* shared = std::get_if<SharedAccess>(&fault.access);
  const auto* global = std::get_if<MemoryAccess>(&fault.access);
  return {.kind = FindingKind::race,
          .message = fmt::format(
              "{} reads {} in the async proxy, which thread {} wrote in {} without "
              "fence.proxy.async",
              c.who(), shared ? name_of(*shared, c.launch) : name_of(*global),
              thread_name(c.launch, fault.writer), line_name(fault.write, c.incident.place)),
          .note = fault.reader_fenced
                      ? "the thread that issues the read has called it, but the PTX ISA asks for "
                        "it in each thread that writes, before the barrier"
                      : "each thread that writes must call fence.proxy.async "
                        "(cuda::ptx::fence_proxy_async) after its writes, before the barrier",
          .object = shared ? object_of(*shared, c.launch) : object_of(*global)};
}

Words describe(const StoreLeft&, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message = c.who() +
                     " returns while this bulk store may still read shared memory, which "
                     "ends with the block",
          .note = "the thread must commit it and wait (cp.async.bulk.wait_group.read 0)"};
}

constexpr const char* illegal_instruction =
    "an H200 ends the kernel with cudaErrorIllegalInstruction";

Words describe(const TensorMapMisused& fault, const Circumstances& c) {
  switch (fault.kind) {
    case TensorMapMisused::not_encoded:
      return {
          .kind = FindingKind::uninitialized,
          .message = c.who() + " uses a tensor map that cuTensorMapEncodeTiled() has not filled",
          .note = "did the call return an error?"};
    case TensorMapMisused::not_grid_constant:
      return {.kind = FindingKind::out_of_bounds,
              .message = c.who() + " uses a tensor map that lies in its own local memory",
              .note =
                  "pass it as `const __grid_constant__ CUtensorMap`, and give the copy the "
                  "address of that parameter"};
    case TensorMapMisused::wrong_rank:
      return {
          .kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} makes a {}-dimensional copy with a tensor map of {}", c.who(),
                                 fault.number, plural(fault.expected, "dimension", "dimensions"))};
    case TensorMapMisused::unaligned_box:
      return {.kind = FindingKind::misaligned,
              .message = fmt::format("{} copies a box that begins at byte {} of a row, which is no "
                                     "multiple of 16",
                                     c.who(), fault.number),
              .note = illegal_instruction};
    case TensorMapMisused::store_before:
      return {
          .kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} stores a box that begins at {} in dimension {}: only a load "
                                 "may begin before the tensor",
                                 c.who(), fault.number, fault.expected),
          .note = illegal_instruction};
    case TensorMapMisused::no_reduction:
      return {.kind = FindingKind::cuda_error,
              .message = c.who() + " reduces a tensor by an operation that its type does not have",
              .note = illegal_instruction};
  }
  return {};
}

Words describe(const MulticastBeyond& fault, const Circumstances& c) {
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} copies to the block of rank {}, but its cluster has {}",
                                 c.who(), fault.rank, plural(fault.blocks, "block", "blocks")),
          .note = "bit i of the multicast mask stands for the block whose %cluster_ctarank is i"};
}

Words describe(const SwizzleShifted& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::misaligned,
      .message = fmt::format("{} copies a swizzled tile to {}, which is not at a multiple of {} "
                             "bytes, where the swizzle pattern repeats",
                             c.who(), name_of(fault.tile, c.launch), fault.period),
      .severity = Severity::warning,
      .note = fmt::format("the pattern depends on the shared address: declare the tile with "
                          "alignas({})",
                          fault.period),
      .object = object_of(fault.tile, c.launch)};
}

Words describe(const SwizzleDiffers& fault, const Circumstances& c) {
  const auto named = [](unsigned span) {
    return span == 16 ? std::string("no swizzle") : fmt::format("a {}-byte swizzle", span);
  };
  return {.kind = FindingKind::misaligned,
          .message = fmt::format(
              "{} issues a wgmma that reads the tile at {} with {}, but {} copied it with {}",
              c.who(), name_of(fault.cell, c.launch), named(fault.described),
              line_name(fault.copy, c.incident.place), named(fault.copied)),
          .note =
              "the descriptor's bits 62-63 (1: 128 bytes, 2: 64, 3: 32) must name the swizzle of "
              "the tensor map",
          .object = object_of(fault.cell, c.launch)};
}

Words describe(const BarrierTouched& fault, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message = fmt::format("{} {} {}, which holds an mbarrier", c.who(),
                                 fault.access.is_write ? "writes" : "reads",
                                 name_of(fault.access, c.launch)),
          .note =
              "only mbarrier instructions may touch it; mbarrier.inval makes it ordinary "
              "memory again",
          .object = object_of(fault.access, c.launch)};
}

Words describe(const BarrierNotFenced& fault, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message = fmt::format("{} issues a bulk copy for an mbarrier whose init in {} the async "
                                 "proxy may not see",
                                 c.who(), line_name(fault.init, c.incident.place)),
          .note =
              "after the init, the same thread must call fence.mbarrier_init.release.cluster or "
              "fence.proxy.async (cuda::ptx::fence_proxy_async), before the barrier"};
}

Words describe(const BarrierNotPublished& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::race,
      .message = fmt::format("{} uses an mbarrier of another block, which may not see that {} has "
                             "initialised it",
                             c.who(), line_name(fault.init, c.incident.place)),
      .note =
          "fence.mbarrier_init.release.cluster is missing after that line: "
          "barrier.cluster.arrive.relaxed publishes nothing"};
}

Words describe(const MbarrierMisuse& fault, const Circumstances& c) {
  const std::string init = line_name(fault.init, c.incident.place);
  const auto text = [&]() -> std::string {
    switch (fault.kind) {
      case MbarrierMisuse::wrong_count:
        return fmt::format("initialises an mbarrier with {} arrivals; 1 to 1048575 are possible",
                           fault.number);
      case MbarrierMisuse::initialized_twice:
        return "initialises an mbarrier that " + init + " has initialised before";
      case MbarrierMisuse::too_many_arrivals:
        return fmt::format("arrives at an mbarrier whose phase has all its arrivals: {} gave it {}",
                           init,
                           plural(static_cast<std::uint64_t>(fault.number), "arrival", "arrivals"));
      case MbarrierMisuse::too_many_bytes:
        return fmt::format("brings the byte count of an mbarrier to {}, beyond 1048575",
                           fault.number);
      case MbarrierMisuse::other_block:
        return "waits for an mbarrier of another block, or initialises it";
    }
    return {};
  };
  const auto note = [&]() -> std::string {
    switch (fault.kind) {
      case MbarrierMisuse::initialized_twice:
        return "mbarrier.inval must come first; to use it again, wait for its next phase";
      case MbarrierMisuse::too_many_arrivals:
        return "the count given to init must be the number of arrivals in each phase";
      case MbarrierMisuse::other_block:
        return "a thread can only arrive there: let the other block's threads wait";
      default:
        return {};
    }
  };
  return {
      .kind = FindingKind::barrier_divergence, .message = c.who() + " " + text(), .note = note()};
}

Words describe(const PhaseMissed& fault, const Circumstances& c) {
  const std::uint64_t meant = fault.known - (fault.waits_again ? 1 : 0);
  const std::string means = fault.waits_again && fault.known == 0 ? "the phase before the first"
                                                                  : fmt::format("phase {}", meant);
  return {
      .kind = FindingKind::race,
      .message = fmt::format("{} waits for {} of an mbarrier by parity {}, but the barrier is in "
                             "phase {} already: the parity cannot tell the two apart",
                             c.who(), means, fault.parity, fault.complete),
      .note = fault.waits_again
                  ? "it has waited for that phase before: flip the parity after each wait"
                  : "a phase must not end before each thread that waits has seen the one before: "
                    "let these threads arrive at the barrier that allows the next phase, after "
                    "their wait"};
}

std::string missing_in_words(const MissingPhase& missing, const Circumstances& c) {
  std::string text = fmt::format("its phase {} lacks ", missing.phase);
  if (missing.arrivals > 0)
    text += fmt::format("{} of {}", missing.arrivals,
                        plural(missing.expected_arrivals, "arrival", "arrivals"));
  if (missing.arrivals > 0 && missing.bytes != 0) text += " and ";
  if (missing.bytes > 0)
    text += fmt::format("{} of {} bytes", missing.bytes, missing.expected_bytes);
  if (missing.bytes < 0)
    text += fmt::format("an expect_tx of {} bytes more: {} bytes were expected", -missing.bytes,
                        missing.expected_bytes);
  std::map<std::string, std::uint64_t> copied;
  for (const auto& copy : missing.copies)
    copied[line_name(copy.place, c.incident.place)] += copy.bytes;
  if (copied.empty() && missing.expected_bytes > 0) text += "; no copy has been issued for it";
  for (const auto& [line, bytes] : copied)
    text += fmt::format("; {} has copied {} bytes", line, bytes);
  return text;
}

}  // namespace kata::emulator

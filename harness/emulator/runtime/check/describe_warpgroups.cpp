// What goes wrong with wgmma and setmaxnreg. Rules: PTX ISA 9.7.15 and 9.7.19.

#include <fmt/format.h>

#include <bit>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"

namespace kata::emulator {

Words describe(const RegistersWrong& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::cuda_error,
      .message = fmt::format("{} has {} registers, and asks for {} with setmaxnreg.{}: undefined "
                             "by the PTX ISA",
                             c.who(), fault.has, fault.wants, fault.to_more ? "inc" : "dec"),
      .severity = fault.is_assumed ? Severity::warning : Severity::error,
      .note = fault.is_assumed
                  ? "it may have fewer than __launch_bounds__ allows, which is what is "
                    "assumed here; ptxas ignores a setmaxnreg that does not fit (C7507)"
                  : "setmaxnreg.inc goes to more registers, setmaxnreg.dec to fewer"};
}

Words describe(const RegistersDiffer& fault, const Circumstances& c) {
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format("{} executes another setmaxnreg here than thread {} of its "
                                 "warpgroup in {}: undefined by the PTX ISA",
                                 c.who(), thread_name(c.launch, fault.other_thread),
                                 line_name(fault.other, c.incident.place)),
          .note = "all four warps of a warpgroup execute the same setmaxnreg"};
}

Words describe(const RegistersExceeded& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::invalid_launch,
      .message = fmt::format("the accumulators of a thread take {} registers here, but in a block "
                             "of {} threads each has at most {}",
                             fault.needed, c.launch.threads_per_block, fault.has),
      .note =
          "a multiprocessor has 65536 registers: launch fewer threads, or compute smaller "
          "tiles"};
}

Words describe(const RegistersPartial& fault, const Circumstances& c) {
  const int warps = std::popcount(fault.warps);
  const std::string part = warps < 4 ? fmt::format("{} of the 4 warps", warps)
                                     : fmt::format("{} of the 128 threads", fault.threads);
  return {
      .kind = FindingKind::barrier_divergence,
      .message = fmt::format("{} executes setmaxnreg, but only {} of its warpgroup do: undefined "
                             "by the PTX ISA",
                             c.who(), part),
      .note = "let the branch depend on threadIdx.x / 128, so that all four warps execute it"};
}

Words describe(const RegistersEarly& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::race,
      .message = fmt::format(
          "{} {} an accumulator of the wgmma in {} before wgmma.wait_group: undefined by the "
          "PTX ISA",
          c.who(), fault.is_write ? "writes" : "reads", line_name(fault.wgmma, c.incident.place)),
      .note = fault.is_committed
                  ? "here it holds NaN until the wait; nvcc may insert a wait, and with it goes "
                    "the overlap"
                  : "here it holds NaN until the wait, which does not reach this wgmma: "
                    "wgmma.commit_group is missing after it"};
}

Words describe(const MatrixRegistersTaken& fault, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message = fmt::format(
              "{} issues a wgmma whose accumulators the one in {} still writes: undefined by the "
              "PTX ISA",
              c.who(), line_name(fault.other, c.incident.place)),
          .note =
              "only wgmmas of one shape may follow each other on the same registers; else "
              "wgmma.wait_group has to come between"};
}

Words describe(const MatrixNotFenced&, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message = c.who() +
                     " issues its first wgmma without wgmma.fence: its registers are not "
                     "ordered before it",
          .severity = Severity::warning,
          .note =
              "put wgmma.fence.sync.aligned before it; nvcc inserts it, and may serialise all "
              "wgmmas of the function"};
}

Words describe(const MatrixDiffers& fault, const Circumstances& c) {
  return {.kind = FindingKind::barrier_divergence,
          .message = fmt::format(
              "{} issues another wgmma here than thread {} of its warpgroup in {}: another shape, "
              "descriptor or scale",
              c.who(), thread_name(c.launch, fault.other_thread),
              line_name(fault.other, c.incident.place)),
          .note =
              "the 128 threads of four consecutive warps, the first of them a multiple of 4, "
              "issue one wgmma together"};
}

Words describe(const WarpgroupIncomplete& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::barrier_divergence,
      .message = fmt::format("{} issues a wgmma, which takes all four warps of a warpgroup: the "
                             "block has {} threads",
                             c.who(), fault.threads),
      .note = "a block that uses wgmma has a multiple of 128 threads"};
}

}  // namespace kata::emulator

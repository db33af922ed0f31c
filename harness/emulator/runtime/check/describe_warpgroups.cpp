// What goes wrong with wgmma. Rules: PTX ISA 9.7.15.

#include <fmt/format.h>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"

namespace kata::emulator {

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

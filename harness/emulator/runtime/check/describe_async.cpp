#include <fmt/format.h>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"

namespace kata::emulator {

Words describe(const AsyncStillReads& fault, const Circumstances& c) {
  const bool is_copy = fault.by == AsyncReader::bulk_copy;
  return {.kind = FindingKind::race,
          .message = fmt::format("{} writes {} while the {} of {} may still read it", c.who(),
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

}  // namespace kata::emulator

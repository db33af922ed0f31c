// PTX instructions of mbarriers and proxies.

#include "emulator/runtime/check/async_proxy.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

/// An arrive's token: the phase, and above it the arrivals that were pending.
constexpr unsigned pending_low = 40;
constexpr std::uint64_t phase_mask = (std::uint64_t{1} << pending_low) - 1;

std::uintptr_t object(const Context& c, const Instruction& i, unsigned operand) {
  return c.address(i, operand, i.in_shared());
}

}  // namespace

void mbarrier_init(Context& c, const Instruction& i) {
  init_mbarrier(object(c, i, 0), c.get<std::uint32_t>(i, 1), c.code);
}

void mbarrier_inval(Context& c, const Instruction& i) {
  invalidate_mbarrier(object(c, i, 0), c.code);
}

void mbarrier_expect_tx(Context& c, const Instruction& i) {
  const Arrival bytes{.count = 0, .bytes = c.get<std::int32_t>(i, 1), .releases = false};
  arrive_at_mbarrier(object(c, i, 0), bytes, c.code);
}

void mbarrier_complete_tx(Context& c, const Instruction& i) {
  complete_bytes(object(c, i, 0), c.get<std::int32_t>(i, 1), nullptr, c.code);
}

/// state, [a]{, count or bytes}
void mbarrier_arrive(Context& c, const Instruction& i) {
  const bool expects = i.has("expect_tx");
  if (expects && i.operands.size() != 3) c.unsupported(i);
  if (i.has("shared::cluster") && i.operands[0].value.kind != Source::Kind::sink) c.unsupported(i);
  const std::uint32_t number = i.operands.size() == 3 ? c.get<std::uint32_t>(i, 2) : 1;
  const Arrival arrival{.count = expects ? 1 : number,
                        .bytes = expects ? static_cast<std::int32_t>(number) : 0,
                        .drops = i.has("arrive_drop"),
                        .releases = !i.has("relaxed")};
  const BeforeArrival state = arrive_at_mbarrier(object(c, i, 1), arrival, c.code);
  c.set_bits(i.operands[0].value,
             (state.phase & phase_mask) | std::uint64_t{state.pending} << pending_low);
}

/// p, [a], state or parity{, time}
void mbarrier_wait(Context& c, const Instruction& i) {
  const WantedPhase wanted = i.has("parity")
                                 ? WantedPhase{true, c.get<std::uint32_t>(i, 2)}
                                 : WantedPhase{false, c.get<std::uint64_t>(i, 2) & phase_mask};
  c.set_bits(i.operands[0].value,
             wait_for_mbarrier(object(c, i, 1), wanted, Wait::once, !i.has("relaxed"), c.code));
}

void mbarrier_pending_count(Context& c, const Instruction& i) {
  c.set_bits(i.operands[0].value, c.get<std::uint64_t>(i, 1) >> pending_low);
}

/// Without .noinc the phase expects one arrival more, which is this one.
void cp_async_mbarrier_arrive(Context& c, const Instruction& i) {
  const std::uintptr_t at = object(c, i, 0);
  running.scheduler->block().copies().bind(at, phase_of_mbarrier(at, c.code));
  if (i.has("noinc")) arrive_at_mbarrier(at, {.count = 1, .releases = false}, c.code);
}

void fence_proxy_async(Context&, const Instruction& i) {
  fence_async_proxy(!i.has("global"), !i.in_shared());
}

}  // namespace kata::emulator::ptx

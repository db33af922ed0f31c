// The table of instructions that exist in few forms, each with its modifiers in one order: those of
// mbarriers, bulk copies and proxies. What it accepts, ptxas accepts for sm_90a (version 13.0).

#include <algorithm>
#include <array>
#include <string_view>

#include "emulator/runtime/ptx/ptx.h"

namespace kata::emulator::ptx {
namespace {

// clang-format off
#define SPACE "{.shared::cta|.shared}"
#define ANY_SPACE "{.shared::cta|.shared|.shared::cluster}"
#define RELEASES "{.release.cta|.release.cluster|.relaxed.cta|.relaxed.cluster}"
#define ACQUIRES "{.acquire.cta|.acquire.cluster|.relaxed.cta|.relaxed.cluster}"
#define RELAXED "{.relaxed.cta|.relaxed.cluster}"
#define BYTES ".mbarrier::complete_tx::bytes"
#define CACHE "{.L2::cache_hint}"
#define DIMENSIONS "(.1d|.2d|.3d|.4d|.5d)"
#define OPERATION "(.add|.min|.max|.inc|.dec|.and|.or|.xor)"

constexpr std::array forms{
    Opcode{"mbarrier.init" SPACE ".b64", "", "", 2, 2, mbarrier_init, "[a] expects b arrivals in each phase"},
    Opcode{"mbarrier.inval" SPACE ".b64", "", "", 1, 1, mbarrier_inval, "[a] is ordinary memory again"},
    Opcode{"mbarrier.expect_tx" RELAXED ANY_SPACE ".b64", "", "", 2, 2, mbarrier_expect_tx, "the phase expects b bytes more"},
    Opcode{"mbarrier.complete_tx" RELAXED ANY_SPACE ".b64", "", "", 2, 2, mbarrier_complete_tx, "b bytes have come"},
    Opcode{"mbarrier.arrive{.expect_tx}" RELEASES ANY_SPACE ".b64", "", "", 2, 3, mbarrier_arrive, "c arrivals, or one and c bytes expected; d is the phase before"},
    Opcode{"mbarrier.arrive.noComplete{.release.cta}" SPACE ".b64", "", "", 3, 3, mbarrier_arrive, "c arrivals that complete no phase"},
    Opcode{"mbarrier.arrive_drop{.expect_tx}" RELEASES ANY_SPACE ".b64", "", "", 2, 3, mbarrier_arrive, "the same, and later phases expect fewer"},
    Opcode{"mbarrier.arrive_drop.noComplete{.release.cta}" SPACE ".b64", "", "", 3, 3, mbarrier_arrive, "the same, completing no phase"},
    Opcode{"mbarrier.test_wait{.parity}" ACQUIRES SPACE ".b64", "", "", 3, 3, mbarrier_wait, "whether the phase is complete"},
    Opcode{"mbarrier.try_wait{.parity}" ACQUIRES SPACE ".b64", "", "", 3, 4, mbarrier_wait, "the same, after a wait"},
    Opcode{"mbarrier.pending_count.b64", "", "", 2, 2, mbarrier_pending_count, "arrivals that were pending"},
    Opcode{"cp.async.mbarrier.arrive{.noinc}" SPACE ".b64", "", "", 1, 1, cp_async_mbarrier_arrive, "the thread's cp.async arrive with the phase of [a]"},

    Opcode{"fence.proxy.async{.shared::cta|.shared::cluster|.global}", "", "", 0, 0, fence_proxy_async, "what the thread wrote may be read by the async proxy"},
    Opcode{"fence.proxy.alias", "", "", 0, 0, no_effect, "no effect here"},
    Opcode{"fence.proxy.async::generic(.acquire.sync_restrict::shared::cluster|.release.sync_restrict::shared::cta).cluster", "", "", 0, 0, no_effect, "no effect here"},
    Opcode{"fence(.acquire.sync_restrict::shared::cluster|.release.sync_restrict::shared::cta).cluster", "", "", 0, 0, fence, "order of accesses to shared memory in a cluster"},
    Opcode{"fence.mbarrier_init.release.cluster", "", "", 0, 0, fence, "order of mbarrier.init, for other blocks"},

    Opcode{"cp.async.bulk.shared::cta.global" BYTES CACHE, "", "", 4, 5, bulk_load, "[a] = c bytes at [b], which count at the mbarrier [d]"},
    Opcode{"cp.async.bulk.shared::cluster.global" BYTES "{.multicast::cluster}" CACHE, "", "", 4, 6, bulk_load, "the same, in each block of a mask"},
    Opcode{"cp.async.bulk.shared::cluster.shared::cta" BYTES, "", "", 4, 4, bulk_send, "[a] in another block = c bytes at [b]"},
    Opcode{"cp.async.bulk.global.shared::cta.bulk_group" CACHE, "", "", 3, 4, bulk_store, "[a] = c bytes at [b], in a bulk group"},
    Opcode{"cp.async.bulk.commit_group", "", "", 0, 0, bulk_commit, "the copies since the last one are a group"},
    Opcode{"cp.async.bulk.wait_group{.read}", "", "", 1, 1, bulk_wait, "until only a groups are under way"},
    Opcode{"cp.async.bulk.prefetch.L2.global" CACHE, "", "", 2, 3, no_effect, "no effect here"},
    Opcode{"cp.reduce.async.bulk.global.shared::cta.bulk_group" CACHE ".add(.u32|.s32|.u64|.f32|.f64|.noftz.f16|.noftz.bf16)", "", "", 3, 4, bulk_reduce, "[a] += c bytes at [b], by elements"},
    Opcode{"cp.reduce.async.bulk.global.shared::cta.bulk_group" CACHE "(.min|.max)(.u32|.s32|.u64|.s64|.f16|.bf16)", "", "", 3, 4, bulk_reduce, "the same with min, max"},
    Opcode{"cp.reduce.async.bulk.global.shared::cta.bulk_group" CACHE "(.inc|.dec).u32", "", "", 3, 4, bulk_reduce, "the same with atomicInc, atomicDec"},
    Opcode{"cp.reduce.async.bulk.global.shared::cta.bulk_group" CACHE "(.and|.or|.xor)(.b32|.b64)", "", "", 3, 4, bulk_reduce, "the same with bits"},
    Opcode{"cp.reduce.async.bulk.shared::cluster.shared::cta" BYTES "(.add.u32|.add.s32|.add.u64|.min.u32|.min.s32|.max.u32|.max.s32|.inc.u32|.dec.u32|.and.b32|.or.b32|.xor.b32)", "", "", 4, 4, bulk_reduce, "the same to another block's shared memory"},

    Opcode{"st.async{.weak}" ANY_SPACE BYTES "{.v2}(.b32|.b64|.u32|.u64|.s32|.s64|.f32|.f64)", "", "", 3, 3, store_async, "[a] in another block = b, which counts at the mbarrier [c]"},
    Opcode{"st.async{.weak}" ANY_SPACE BYTES ".v4(.b32|.u32|.s32|.f32)", "", "", 3, 3, store_async, "the same"},
    Opcode{"red.async.relaxed.cluster" ANY_SPACE BYTES "(.add.u32|.add.s32|.add.u64|.add.s64|.min.u32|.min.s32|.max.u32|.max.s32|.inc.u32|.dec.u32|.and.b32|.or.b32|.xor.b32)", "", "", 3, 3, reduce_async, "[a] in another block op= b, which counts at the mbarrier [c]"},

    Opcode{"cp.async.bulk.tensor" DIMENSIONS "(.shared::cluster|.shared::cta).global{.tile}" BYTES CACHE, "", "", 3, 4, tensor_load, "[a] = a box of the tensor map, at the mbarrier c"},
    Opcode{"cp.async.bulk.tensor" DIMENSIONS ".shared::cluster.global{.tile}" BYTES ".multicast::cluster" CACHE, "", "", 4, 5, tensor_load, "the same, in each block of a mask"},
    Opcode{"cp.async.bulk.tensor" DIMENSIONS ".global.shared::cta{.tile}.bulk_group" CACHE, "", "", 2, 3, tensor_store, "a box of the tensor map = [b], in a bulk group"},
    Opcode{"cp.reduce.async.bulk.tensor" DIMENSIONS ".global.shared::cta" OPERATION "{.tile}.bulk_group" CACHE, "", "", 2, 3, tensor_reduce, "the same, reduced into the box"},
    Opcode{"cp.async.bulk.prefetch.tensor" DIMENSIONS ".L2.global{.tile}" CACHE, "", "", 1, 2, no_effect, "no effect here"},
    Opcode{"prefetch{.param|.const}.tensormap", "", "", 1, 1, no_effect, "no effect here"},
};
// clang-format on

/// `{.a|.b}` stands for one of these or nothing, `(.a|.b)` for one of these.
bool matches(std::string_view pattern, std::string_view text) {
  const auto take = [](std::string_view from, std::string_view words) {
    return from.starts_with(words) && (from.size() == words.size() || from[words.size()] == '.');
  };
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '{' && pattern[0] != '(') {
    const std::string_view words = pattern.substr(0, pattern.find_first_of("{("));
    return take(text, words) && matches(pattern.substr(words.size()), text.substr(words.size()));
  }
  const std::size_t end = pattern.find_first_of("})");
  const std::string_view rest = pattern.substr(end + 1);
  if (pattern[0] == '{' && matches(rest, text)) return true;
  for (std::size_t at = 1; at < end;) {
    const std::size_t stop = std::min(pattern.find('|', at), end);
    const std::string_view words = pattern.substr(at, stop - at);
    if (take(text, words) && matches(rest, text.substr(words.size()))) return true;
    at = stop + 1;
  }
  return false;
}

}  // namespace

const Opcode* find_form(std::string_view instruction) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const Opcode& form) {
    return matches(form.name, instruction);
  });
  return found == forms.end() ? nullptr : &*found;
}

}  // namespace kata::emulator::ptx

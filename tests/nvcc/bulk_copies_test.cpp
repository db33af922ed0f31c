// Where ptxas is: mbarriers, bulk copies and proxies in the forms that the emulator takes, and in
// others, as ptxas sees them for an sm_90a.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator/runtime/ptx/ptx.h"
#include "scratch.h"
#include "skip.h"
#include "support/files.h"
#include "support/process.h"

namespace {

const std::string declarations =
    ".reg .b64 s, d; .reg .b32 r, m, q; .reg .pred p; .reg .b16 h; .reg .f32 f;";

const std::vector<std::string> bulk_instructions{
    "mbarrier.arrive.release.shared::cta.b64 s, [r];",
    "mbarrier.arrive.cta.shared::cta.b64 s, [r];",
    "mbarrier.arrive.relaxed.cluster.shared::cta.b64 s, [r];",
    "mbarrier.arrive.b64 s, [d];",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r], 3;",
    "mbarrier.arrive.shared.b64 _, [r], 3;",
    "mbarrier.arrive.noComplete.shared::cta.b64 s, [r], 3;",
    "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 s, [r], 3;",
    "mbarrier.arrive.noComplete.shared::cta.b64 _, [r], 3;",
    "mbarrier.arrive_drop.release.cta.shared::cta.b64 s, [r], 3;",
    "mbarrier.arrive_drop.expect_tx.shared::cta.b64 s, [r], 3;",
    "mbarrier.arrive_drop.noComplete.shared::cta.b64 s, [r], 3;",
    "mbarrier.expect_tx.shared::cta.b64 [r], 3;",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r], 3;",
    "mbarrier.expect_tx.relaxed.shared::cta.b64 [r], 3;",
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [r], 3;",
    "mbarrier.expect_tx.b64 [d], 3;",
    "mbarrier.test_wait.shared::cta.b64 p, [r], s;",
    "mbarrier.test_wait.parity.shared::cta.b64 p, [r], m;",
    "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [r], m;",
    "mbarrier.test_wait.parity.shared::cta.b64 p, [r], m, 100;",
    "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [r], m, 100;",
    "mbarrier.try_wait.acquire.shared::cta.b64 p, [r], s;",
    "mbarrier.try_wait.parity.b64 p, [d], m;",
    "mbarrier.inval.shared::cta.b64 [r];",
    "mbarrier.inval.b64 [d];",
    "mbarrier.init.b64 [d], 4;",
    "mbarrier.init.shared::cluster.b64 [r], 4;",
    "mbarrier.pending_count.b64 q, s;",
    "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [r], 3;",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [r], m;",
    "fence.mbarrier_init.release.cluster;",
    "fence.proxy.async;",
    "fence.proxy.async.shared::cta;",
    "fence.proxy.async.shared::cluster;",
    "fence.proxy.async.global;",
    "fence.proxy.alias;",
    "fence.proxy.async.shared;",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [r];",
    "cp.async.mbarrier.arrive.b64 [d];",
    "cp.async.mbarrier.arrive.shared.b64 [r];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r], [d], 64, [m];",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [r], [d], 64, [m];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r], "
    "[d], 64, [m], h;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [r], [d], "
    "64, [m], s;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::"
    "cache_hint [r], [d], 64, [m], h, s;",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r], [q], 64, [m];",
    "cp.async.bulk.global.shared::cta.bulk_group [d], [r], 64;",
    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [d], [r], 64, s;",
    "cp.async.bulk.commit_group;",
    "cp.async.bulk.wait_group 0;",
    "cp.async.bulk.wait_group.read 1;",
    "cp.async.bulk.prefetch.L2.global [d], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [d], [r], 64;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [d], [r], 64, s;",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [r], "
    "[q], 64, [m];",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [r], "
    "[q], 64, [m];",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [r], "
    "[q], 64, [m];",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [r], "
    "[q], 64, [m];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [r], [d, {q, "
    "q}], [m];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r], [d, {q, q}], "
    "[m];",
    "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [r], [d, {q}], [m];",
    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
    "cluster.L2::cache_hint [r], [d, {q,q,q}], [m], h, s;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
    "cluster [r], [d, {q, q}], [m], h;",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [d, {q, q}], [r];",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [d, {q, q}], [r];",
    "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group.L2::cache_hint [d, {q, q,q,q,q}], [r], "
    "s;",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [d, {q, q}], [r];",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [d, {q, q}], [r];",
    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [d, {q, q}];",
    "cp.async.bulk.prefetch.tensor.2d.L2.global [d, {q, q}];",
    "prefetch.tensormap [d];",
    "prefetch.param.tensormap [d];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [r], m, [q];",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [r], {f, f}, [q];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [r], {m, m, m, m}, [q];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [r], {s, s, s, s}, [q];",
    "st.async.weak.shared::cta.mbarrier::complete_tx::bytes.v2.u64 [r], {s, s}, [q];",
    "st.async.mbarrier::complete_tx::bytes.s64 [d], s, [s];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b16 [r], h, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r], m, [q];",
    "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u64 [d], s, [s];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s64 [r], s, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [r], m, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [r], m, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u64 [r], s, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [r], m, [q];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b64 [r], s, [q];",
    "red.async.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r], m, [q];",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
    "fence.acquire.sync_restrict::shared::cluster.cluster;",
    "fence.release.sync_restrict::shared::cta.cluster;",
    "fence.acq_rel.cluster;",
    "fence.acquire.cta;",
    "cp.async.bulk.global.shared::cta [d], [r], 64;",
    "64, [m], s;",
    "cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [d, {q, q}], [r];",
    "mbarrier.arrive.acquire.cta.b64 s, [d];",
    "mbarrier.try_wait.parity.shared::cluster.b64 p, [r], m;",
    "cp.async.bulk.wait_group.write 0;",
};

bool ptxas_takes(const std::string& instructions) {
  const kata::test::Scratch folder;
  const auto source = folder.path() / "bulk.ptx";
  REQUIRE(kata::write_file(source,
                           ".version 8.6\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry copies() {\n" +
                               declarations + "\n" + instructions + "\nret;\n}\n") == "");
  kata::ProcessOptions ptxas;
  ptxas.arguments = {"ptxas",         "-O0", "-arch=sm_90a",
                     source.string(), "-o",  (folder.path() / "out").string()};
  const auto result = kata::run(ptxas);
  REQUIRE(result);
  return result->exit_status == 0;
}

}  // namespace

TEST_CASE(
    "of mbarriers and bulk copies the emulator takes what ptxas takes, and refuses what it does") {
  if (kata::find_program("ptxas").empty()) return kata::test::skip("no ptxas");
  std::string taken;
  for (const std::string& text : bulk_instructions) {
    CAPTURE(text);
    const auto program = kata::emulator::ptx::parse("{" + declarations + text + "}", 0);
    if (program.problem.empty()) {
      taken += text + "\n";
    } else {
      CAPTURE(program.problem);
      CHECK(!ptxas_takes(text));
    }
  }
  CHECK(ptxas_takes(taken));
}

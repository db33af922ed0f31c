// Source lines beside their instructions.
#include "assembly/assembly.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assembly/kept.h"
#include "assembly/text.h"
#include "compile/fixture.h"
#include "compile/toolchain.h"
#include "desk.h"
#include "skip.h"
#include "support/files.h"
#include "support/text.h"

namespace fs = std::filesystem;
using namespace kata;
using namespace kata::assembly;
using namespace kata::test;

namespace {

/// "/own/k.cu" is file 0, "/own/k.h" file 1.
std::optional<std::size_t> own(const std::string& path) {
  if (path == "/own/k.cu") return 0;
  if (path == "/own/k.h") return 1;
  return {};
}

const std::string ptx = R"(
.version 9.0
.target sm_90a
	// .globl	_Z4scalPf
.visible .entry _Z4scalPf(
	.param .u64 _Z4scalPf_param_0
)
.maxntid 256
{
	.reg .pred 	%p<2>;
	.loc	1 4 0
	ld.param.u64 	%rd1, [_Z4scalPf_param_0];
	.loc	1 5 3
	@%p1 bra 	$L__BB0_2;
	bra.uni $L__BB0_2;

$L__BB0_2:
	.loc	2 9 5, function_name $L__info_string0, inlined_at 1 6 5
	.loc	3 449 9, function_name $L__info_string1, inlined_at 2 9 5
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1];
	.loc	3 77 1, function_name $L__info_string1, inlined_at 1 7 5
	// begin inline asm
	{
	.reg .pred p;
	mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], 0; selp.u32 %r2, 1, 0, p; }
	// end inline asm
	.loc	1 0 5
	call.uni (retval0),
	vprintf,
	(
	param0
	);
	ret;
}
	.file	1 "/own/k.cu"
	.file	2 "/own/k.h"
	.file	3 "/usr/local/cuda/include/crt/sm_30_intrinsics.hpp"
	.section	.debug_str
	{
$L__info_string0:
.b8 95
	}
)";

// As nvdisasm 12 prints it with -c -gi.
const std::string sass = R"sass(
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
//--------------------- .text._Z4scalPf           --------------------------
	.section	.text._Z4scalPf,"ax",@progbits
        .type           _Z4scalPf,@function
_Z4scalPf:
.text._Z4scalPf:
	//## File "/own/k.cu", line 4
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_0) ;
	//## File "/usr/include/crt/x.hpp", line 449 inlined at "/own/k.h", line 9
	//## File "/own/k.h", line 9 inlined at "/own/k.cu", line 6
	//## File "/own/k.cu", line 6
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
.L_x_0:
	//## File "/usr/include/crt/x.hpp", line 12
        /*0030*/                   EXIT ;
        /*0040*/                   BRA `(.L_x_0);
        /*0050*/                   NOP;
        /*0060*/                   NOP;
)sass";

std::vector<std::string> opcodes(const Function& function) {
  std::vector<std::string> all;
  for (const Instruction& one : function.instructions) all.push_back(one.opcode);
  return all;
}

/// A CUDA Toolkit of scripts that print what is above; the file that they compile is /own/k.cu.
struct StandIn {
  Compiler compiler;
  fs::path source = compiler.files.write("k.cu",
                                         "// 1\n// 2\n// 3\n__global__ void scal(float*) {\n"
                                         "// 5\n// 6\n// 7\n}\n");
  Environment path{"PATH", (compiler.files / "bin").string() + ":" + std::getenv("PATH")};

  StandIn() {
    compiler.files.write("k.ptx",
                         "// Cuda compilation tools, release 12.4, V12.4.99\n" + with_paths(ptx));
    compiler.files.write("k.sass", with_paths(sass));
    compiler.files.write_program(
        "bin/nvcc",
        "#!/bin/sh\n"
        "case $* in *-cubin*) ;; *) exit 0 ;; esac\n"
        "for word; do [ \"$last\" = -keep-dir ] && cp " +
            (compiler.files / "k.ptx").string() +
            " \"$word\"; last=$word; done\n"
            "echo \"ptxas info : Compiling entry function '_Z4scalPf' for 'sm_90a'\" >&2\n"
            "echo '    0 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads' >&2\n"
            "echo 'ptxas info : Used 40 registers, used 1 barriers, 512 bytes smem' >&2\n");
  }
  void add_nvdisasm() const {
    compiler.files.write_program("bin/nvdisasm",
                                 "#!/bin/sh\ncat " + (compiler.files / "k.sass").string() + "\n");
  }
  std::string with_paths(std::string text) const {
    for (std::size_t at; (at = text.find("/own/k.cu")) != std::string::npos;)
      text.replace(at, 9, source.string());
    return text;
  }
};

}  // namespace

TEST_CASE("an instruction of PTX has its line, that of an inlined function in the person's file") {
  const auto functions = functions_from_ptx(ptx, own);
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].symbol == "_Z4scalPf");
  CHECK(opcodes(functions[0]) ==
        std::vector<std::string>{"ld.param.u64", "bra", "bra.uni", "ld.global.nc.v4.f32",
                                 "mbarrier.try_wait.parity.shared::cta.b64", "selp.u32", "call.uni",
                                 "ret"});
  const auto& all = functions[0].instructions;
  CHECK(all[0].place == Place{0, 4});
  CHECK(all[1].text == "@%p1 bra $L__BB0_2");
  CHECK(all[1].place == Place{0, 5});
  CHECK(all[3].text == "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]");
  CHECK(all[3].place == Place{1, 9});  // CUDA's header, called in k.h, called in k.cu
  CHECK(all[4].place == Place{0, 7});  // CUDA's header, called in k.cu
  CHECK(all[7].place.line == 0);
}

TEST_CASE("an instruction of SASS has its line, and the padding is gone") {
  const auto functions = functions_from_sass(sass, own);
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].symbol == "_Z4scalPf");
  CHECK(opcodes(functions[0]) ==
        std::vector<std::string>{"LDC", "BRA", "LDG.E.128", "EXIT", "BRA"});
  const auto& all = functions[0].instructions;
  CHECK(all[1].text == "@!P0 BRA `(.L_x_0)");
  CHECK(all[1].place == Place{0, 4});
  CHECK(all[2].place == Place{1, 9});
  CHECK(all[3].place.line == 0);
}

TEST_CASE("instructions are counted for the unit that they occupy") {
  const std::vector<std::pair<const char*, Pipe>> machine{
      {"FFMA", Pipe::fp32},
      {"DFMA", Pipe::fp64},
      {"HFMA2.MMA", Pipe::fp16},
      {"IMAD.WIDE", Pipe::integer},
      {"MUFU.EX2", Pipe::special},
      {"HGMMA.64x128x16.F32", Pipe::tensor},
      {"LDG.E.128", Pipe::global_load},
      {"STS.64", Pipe::shared_store},
      {"LDL.LU", Pipe::local_load},
      {"LDC.64", Pipe::constant_load},
      {"ATOMS.ADD", Pipe::atomic},
      {"UTMALDG.2D", Pipe::async_copy},
      {"SHFL.BFLY", Pipe::exchange},
      {"BAR.SYNC.DEFER_BLOCKING", Pipe::barrier},
      {"EXIT", Pipe::control},
      {"S2R", Pipe::move},
      {"F2F.F16.F32", Pipe::conversion}};
  for (const auto& [opcode, pipe] : machine) {
    INFO(opcode);
    CHECK(pipe_of_sass(opcode) == pipe);
  }
  const std::vector<std::pair<const char*, Pipe>> virtual_machine{
      {"fma.rn.f32", Pipe::fp32},
      {"add.f64", Pipe::fp64},
      {"fma.rn.bf16x2", Pipe::fp16},
      {"mad.lo.s32", Pipe::integer},
      {"ex2.approx.f32", Pipe::special},
      {"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", Pipe::tensor},
      {"wgmma.wait_group.sync.aligned", Pipe::barrier},
      {"ld.global.v4.f32", Pipe::global_load},
      {"st.shared::cta.b32", Pipe::shared_store},
      {"ld.local.f32", Pipe::local_load},
      {"ld.param.u64", Pipe::constant_load},
      {"ld.f32", Pipe::other_memory},
      {"atom.shared.add.u32", Pipe::atomic},
      {"cp.async.cg.shared.global", Pipe::async_copy},
      {"cp.async.wait_group", Pipe::barrier},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
       Pipe::async_copy},
      {"shfl.sync.bfly.b32", Pipe::exchange},
      {"bar.sync", Pipe::barrier},
      {"cvt.rn.f16.f32", Pipe::conversion}};
  for (const auto& [opcode, pipe] : virtual_machine) {
    INFO(opcode);
    CHECK(pipe_of_ptx(opcode) == pipe);
  }
}

TEST_CASE("a toolkit without nvdisasm shows PTX and says what is missing; with it, SASS") {
  const StandIn tools;
  const auto before = assemble(tools.source, "9.0", false);
  REQUIRE_MESSAGE(before, before.error().message);
  CHECK(before->language == Language::ptx);
  CHECK(before->toolkit == "12.4.99");
  CHECK(before->architecture == "sm_90a");
  REQUIRE(before->kernels.size() == 1);
  CHECK(before->kernels[0].resources.registers == 40);
  CHECK(before->kernels[0].resources.spilled_bytes == 12);
  CHECK(before->kernels[0].resources.static_shared_bytes == 512);
  if (find_cuda_tool("nvdisasm").empty())
    CHECK(missing_for_sass().find("nvdisasm") != std::string::npos);

  tools.add_nvdisasm();
  const auto after = assemble(tools.source, "9.0", false);
  REQUIRE_MESSAGE(after, after.error().message);
  CHECK(after->language == Language::sass);
  CHECK(after->kernels.at(0).resources.registers == 40);
  CHECK(missing_for_sass().empty());
  const auto forced = assemble(tools.source, "9.0", true);
  REQUIRE(forced);
  CHECK(forced->language == Language::ptx);
}

TEST_CASE("a listing has each source line beside its opcodes, in 80 columns") {
  const StandIn tools;
  tools.add_nvdisasm();
  const auto made = assemble(tools.source, "9.0", false);
  REQUIRE(made);
  const std::string text = listing_text(*made, made->kernels.at(0), false, false);
  CHECK(text.find("    4 __global__ void scal(float*) {           LDC  BRA\n") !=
        std::string::npos);
  const std::string all = listing_text(*made, made->kernels.at(0), true, false);
  CHECK(all.find("      @!P0 BRA `(.L_x_0)") != std::string::npos);
  for (const std::string& page : {text, all, summary_text(summary_of(*made, 0), false)}) {
    for (const std::string& line : lines_of(page)) CHECK(line.size() <= 80);
  }
}

TEST_CASE("where nvcc is, a load stands beside the line that loads") {
  if (find_cuda_tool("nvcc").empty()) return skip("no nvcc");
  const Compiler compiler;
  const auto source =
      compiler.files.write("k.cu",
                           "__global__ void scale(float* x, int n) {\n"
                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i >= n) return;\n"
                           "  x[i] *= 2;\n"
                           "}\n");
  const auto made = assemble(source, "9.0", true);
  REQUIRE_MESSAGE(made, made.error().message);
  REQUIRE(made->kernels.size() == 1);
  CHECK(made->kernels[0].resources.registers > 0);
  const Mix mix = mix_of(made->kernels[0].instructions);
  CHECK(mix.at(Pipe::global_load) == 1);
  CHECK(mix.at(Pipe::global_store) == 1);
  for (const Instruction& one : made->kernels[0].instructions) {
    if (one.pipe == Pipe::global_load) CHECK(one.place == Place{0, 4});
    if (one.pipe == Pipe::fp32) CHECK(one.place == Place{0, 4});
  }
}

TEST_CASE("what is kept of a rung's assembly is of the rung as it is") {
  for (const Problem& problem : problems()) {
    const std::vector<std::string> current = rungs_with_summaries(problem);
    INFO(problem.name << ": kata keep-assembly " << problem.name);
    std::vector<std::string> kept;
    for (const std::string& line : lines_of(read_file(summaries_path(problem)).value_or("")))
      kept.push_back(nlohmann::json::parse(line).at("rung"));
    CHECK(kept == current);
  }
}

TEST_CASE("kata asm shows a rung, compares two, and without nvcc falls back to what is kept") {
  const Desk desk;
  CHECK(desk.start({"asm", "relu"}).exit_status == 77);
  desk.scratch.write_program("bin/nvcc", "#!/bin/sh\nexit 1\n");
  const Desk::Environment broken{
      {"PATH", (desk.scratch / "bin").string() + ":" + std::getenv("PATH")}};
  const Finished kept = desk.start({"asm", "relu", "--solution", "1"}, "", broken);
  CHECK(kept.exit_status == 0);
  CHECK(kept.output.find("kept on 20") != std::string::npos);
  CHECK(kept.output.find("registers") != std::string::npos);
  CHECK(kept.output.find("nvcc does not compile") != std::string::npos);
  const Finished two =
      desk.start({"asm", "relu", "--solution", "1", "--against", "3", "--json"}, "", broken);
  CHECK(two.output.find("\"against\"") != std::string::npos);
  if (find_cuda_tool("nvcc").empty()) return;
  const Finished shown = desk.start({"asm", "relu", "--solution", "1"});
  CHECK(shown.exit_status == 0);
  CHECK(shown.output.find("fmaxf") != std::string::npos);
  const Finished compared = desk.start({"asm", "relu", "--solution", "1", "--against", "3"});
  CHECK(compared.output.find("opcodes that changed most") != std::string::npos);
  CHECK(desk.start({"asm", "relu", "--solution", "1", "--kernel", "nothing"}).exit_status == 2);
}

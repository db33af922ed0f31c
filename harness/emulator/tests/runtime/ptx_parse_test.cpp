// The text of inline PTX, as instructions or with the reason why it cannot be run.
#include <doctest/doctest.h>

#include "emulator/runtime/ptx/ptx.h"

using namespace kata::emulator::ptx;

namespace {

/// Of the only instruction.
const Instruction& only(const Program& program) {
  INFO(program.problem);
  REQUIRE(program.problem.empty());
  REQUIRE(program.instructions.size() == 1);
  return program.instructions[0];
}

std::string problem(const char* text, unsigned operands = 4) {
  return parse(text, operands).problem;
}

}  // namespace

TEST_CASE("an instruction has its opcode, its modifiers and its types, in order") {
  const Program program = parse("cvt.rn.relu.f16.f32 %0, %1;", 2);
  const Instruction& cvt = only(program);
  CHECK(cvt.opcode->name == "cvt");
  CHECK(cvt.has("relu"));
  CHECK_FALSE(cvt.has("sat"));
  CHECK(cvt.types == std::vector{Type::f16, Type::f32});
  REQUIRE(cvt.operands.size() == 2);
  CHECK(cvt.operands[1].value.kind == Source::Kind::slot);
  CHECK(cvt.operands[1].value.slot == 1);
}

TEST_CASE("addresses have offsets, vectors elements, and a sink takes unused elements") {
  const Program load = parse("ld.shared.v2.u32 {%0, _}, [%1 + 16];", 2);
  const Instruction& ld = only(load);
  REQUIRE(ld.operands[0].elements.size() == 2);
  CHECK(ld.operands[0].elements[0].slot == 0);
  CHECK(ld.operands[0].elements[1].kind == Source::Kind::sink);
  CHECK(ld.operands[1].is_address);
  CHECK(ld.operands[1].offset == 16);
  const Program before = parse("ld.global.f32 %0, [%1+-8];", 2);
  CHECK(only(before).operands[1].offset == -8);
}

TEST_CASE("constants are whole numbers of any base, and floats by value or by their bits") {
  const auto constant = [](const char* text) {
    const Program program = parse(text, 1);
    return only(program).operands[1].value.constant;
  };
  CHECK(constant("mov.u32 %0, 0x1F;") == 31);
  CHECK(constant("mov.s32 %0, -3;") == static_cast<std::uint64_t>(-3));
  CHECK(constant("mov.f32 %0, 1.5;") == 0x3fc00000);
  CHECK(constant("mov.f32 %0, 0f3F800000;") == 0x3f800000);
  CHECK(constant("mov.f64 %0, 0d3FF0000000000000;") == 0x3ff0000000000000);
  CHECK(constant("mov.f32 %0, 1.0e-1;") == 0x3dcccccd);
}

TEST_CASE("registers of a statement follow its operands, also those declared by their number") {
  const Program program =
      parse("{ .reg .b32 t<3>, u; // scratch\n mov.b32 t2, %0; /* then */ mov.b32 u, t2; }", 1);
  REQUIRE(program.problem.empty());
  REQUIRE(program.instructions.size() == 2);
  CHECK(program.slots == 5);
  CHECK(program.instructions[0].operands[0].value.slot == 3);  // t0, t1, t2 behind %0
  CHECK(program.instructions[1].operands[0].value.slot == 4);
}

TEST_CASE("a guard may be negated, and a branch goes to its label") {
  const Program program = parse(
      "{ .reg .pred p; L%=: setp.eq.s32 p, %0, 1; @!p bra L%=; @p mov.b32 %0, %%laneid; }", 1);
  INFO(program.problem);
  REQUIRE(program.problem.empty());
  REQUIRE(program.instructions.size() == 3);
  CHECK(program.instructions[0].guard.kind == Source::Kind::sink);
  CHECK(program.instructions[1].guard.negated);
  CHECK(program.instructions[1].target == 0);
  CHECK_FALSE(program.instructions[2].guard.negated);
  CHECK(program.instructions[2].operands[1].value.kind == Source::Kind::special);
}

TEST_CASE("what the table lacks is named, with the reason where there is one") {
  CHECK(problem("frobnicate.b32 %0, %1;") == "inline PTX `frobnicate.b32`");
  CHECK(problem("add.rz.wrong.f32 %0, %1, %2;").find("does not know .") != std::string::npos);
  CHECK(problem("add.s32 %0, %1;") == "inline PTX `add.s32` with 2 operands");
  CHECK(problem("mov.b32 %0, %9;") == "inline PTX that has no operand %9");
  CHECK(problem("mov.b32 %0, nowhere;") == "inline PTX with `nowhere`");
  CHECK(problem("bra NOWHERE;") == "inline PTX that has no label `NOWHERE`");
  CHECK(problem(".shared .b32 x;") == "inline PTX `.shared`");
  CHECK(problem("tcgen05.wait::ld.sync.aligned;").find("(") != std::string::npos);
  CHECK(problem("{ .reg .b32 r<500>; }") == "inline PTX with that many registers");
}

TEST_CASE("wgmma has the shapes, types and operands that PTX has, and no others") {
  const auto is_known = [](const char* form, const char* a, const char* tail) {
    const std::string text = "wgmma.mma_async.sync.aligned." + std::string(form) +
                             " {%0, %1, %2, %3}, " + a + ", %5, 1" + tail + ";";
    return problem(text.c_str(), 10).empty();
  };
  CHECK(is_known("m64n8k16.f32.f16.f16", "%4", ", 1, 1, 0, 0"));
  CHECK(is_known("m64n16k16.f16.f16.f16", "{%6, %7, %8, %9}", ", 1, 1, 0"));
  CHECK(is_known("m64n8k32.s32.s8.u8.satfinite", "%4", ""));
  CHECK(is_known("m64n8k8.f32.tf32.tf32", "%4", ", 1, 1"));
  CHECK_FALSE(is_known("m64n8k8.f32.f16.f16", "%4", ", 1, 1, 0, 0"));
  CHECK_FALSE(is_known("m64n16k16.f32.f16.f16", "%4", ", 1, 1, 0, 0"));  // 8 registers
  CHECK_FALSE(is_known("m64n16k16.f16.f16.bf16", "%4", ", 1, 1, 0, 0"));
  CHECK_FALSE(is_known("m64n8k8.f32.tf32.tf32", "%4", ", 1, 1, 0, 0"));  // K-major alone
  CHECK_FALSE(is_known("m64n8k32.s32.s8.s8", "%4", ", 1, 1"));
  CHECK_FALSE(is_known("m64n8k32.f32.e4m3.e4m3.satfinite", "%4", ", 1, 1"));
}

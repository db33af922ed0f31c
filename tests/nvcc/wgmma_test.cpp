// Where ptxas is: what the emulator takes for wgmma and its like, ptxas takes for an sm_90a.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator/runtime/ptx/ptx.h"
#include "scratch.h"
#include "skip.h"
#include "support/files.h"
#include "support/process.h"

namespace {

/// A register's name by its number in a list.
using Name = std::string (*)(unsigned);

std::string listed(Name name, unsigned first, unsigned count) {
  std::string result = "{";
  for (unsigned i = 0; i < count; ++i) result += (i ? ", " : "") + name(first + i);
  return result + "}";
}

struct Form {
  std::string d, a, b;
  unsigned k;
  std::string tail;  ///< operands behind scale-d; one transposition less with A in registers
  std::string tail_with_registers;
};

std::vector<Form> forms() {
  std::vector<Form> all{{"f32", "f16", "f16", 16, ", 1, 1, 0, 1", ", 1, 1, 1"},
                        {"f16", "f16", "f16", 16, ", 1, -1, 1, 0", ", 1, -1, 0"},
                        {"f32", "bf16", "bf16", 16, ", -1, 1, 0, 0", ", -1, 1, 0"},
                        {"f32", "tf32", "tf32", 8, ", 1, 1", ", 1, 1"}};
  for (const char* a : {"e4m3", "e5m2"}) {
    for (const char* b : {"e4m3", "e5m2"}) {
      all.push_back({"f32", a, b, 32, ", 1, 1", ", 1, 1"});
      all.push_back({"f16", a, b, 32, ", 1, 1", ", 1, 1"});
    }
  }
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8", "s8.satfinite", "u8.satfinite"})
      all.push_back({"s32", a, b, 32, "", ""});
  }
  return all;
}

/// With registers of PTX, or with operands of an asm statement.
std::string text_of(const Form& form, unsigned n, bool a_in_registers, bool as_operands) {
  const Name operand = [](unsigned i) { return "%" + std::to_string(i); };
  const Name real = [](unsigned i) { return "f" + std::to_string(i); };
  const Name whole = [](unsigned i) { return "r" + std::to_string(i); };
  const unsigned registers = form.d == "f16" ? n / 4 : n / 2;
  const Name d = as_operands ? operand : form.d == "f32" ? real : whole;
  const std::string address = as_operands ? operand(140) : "address";
  const std::string a = a_in_registers ? listed(as_operands ? operand : whole, 130, 4) : address;
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(form.k) +
         "." + form.d + "." + form.a + "." + form.b + " " + listed(d, 0, registers) + ", " + a +
         ", " + address + ", " + (as_operands ? "1" : "p") +
         (a_in_registers ? form.tail_with_registers : form.tail) + ";";
}

const std::vector<std::string> others{
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 7;",
    "setmaxnreg.dec.sync.aligned.u32 24;",
    "setmaxnreg.inc.sync.aligned.u32 256;",
    "elect.sync r0|p, 0xffffffff;",
    "elect.sync _|p, r1;",
    "barrier.cluster.arrive.release;",
    "barrier.cluster.arrive.relaxed;",
    "barrier.cluster.wait;",
    "barrier.cluster.wait.aligned;",
    "barrier.cluster.arrive;",
    "barrier.cluster.arrive.relaxed.aligned;",
    "barrier.cluster.wait.acquire.aligned;",
    "mapa.u64 address, address, r1;",
    "mapa.shared::cluster.u32 r0, r2, r1;",
    "getctarank.u64 r0, address;",
    "getctarank.shared::cluster.u32 r0, r2;",
    "griddepcontrol.wait;",
    "griddepcontrol.launch_dependents;",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [r0], {r1};",
    "stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [r0], {r1, r2};",
    "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [r0], {r1, r2, r3, r4};",
    "stmatrix.sync.aligned.m8n8.x2.trans.b16 [address], {r1, r2};"};

/// What ptxas says of a kernel of these instructions; empty: it assembles it.
std::string complaints(const std::string& instructions) {
  const kata::test::Scratch folder;
  const auto source = folder.path() / "forms.ptx";
  REQUIRE(kata::write_file(source,
                           ".version 8.4\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry forms() .reqntid 128 {\n"
                           ".reg .f32 f<128>; .reg .b32 r<140>; .reg .b64 address;\n"
                           ".reg .pred p;\n" +
                               instructions + "ret;\n}\n") == "");
  kata::ProcessOptions ptxas;
  ptxas.arguments = {"ptxas",         "-O0", "-arch=sm_90a",
                     source.string(), "-o",  (folder.path() / "out").string()};
  const auto result = kata::run(ptxas);
  REQUIRE(result);
  return result->exit_status == 0 ? "" : result->output + result->errors;
}

}  // namespace

TEST_CASE("what the emulator takes for wgmma, ptxas takes") {
  if (kata::find_program("ptxas").empty()) return kata::test::skip("no ptxas");
  std::string accepted;
  for (const Form& form : forms()) {
    for (unsigned n : {8u, 16u, 24u, 40u, 64u, 96u, 136u, 240u, 256u, 264u}) {
      for (const bool a_in_registers : {false, true}) {
        const std::string text = text_of(form, n, a_in_registers, true);
        CAPTURE(text);
        const bool is_known = kata::emulator::ptx::parse(text, 141).problem.empty();
        const bool has_columns = n <= 256 && (form.d != "s32" || n == 24 || n == 8 || n % 16 == 0);
        CHECK(is_known == has_columns);
        if (is_known) accepted += text_of(form, n, a_in_registers, false) + "\n";
      }
    }
  }
  CHECK(complaints(accepted) == "");
  for (const char* refused : {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8",
                              "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16",
                              "wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16"}) {
    CHECK(complaints(std::string(refused) +
                     " {f0, f1, f2, f3}, address, address, p, 1, 1, 0, 0;") != "");
  }
}

TEST_CASE("what the emulator takes for clusters and warpgroups, ptxas takes") {
  if (kata::find_program("ptxas").empty()) return kata::test::skip("no ptxas");
  std::string all;
  for (const std::string& text : others) {
    CAPTURE(text);
    const std::string statement = "{.reg .b32 r<5>; .reg .b64 address; .reg .pred p;" + text + "}";
    CHECK(kata::emulator::ptx::parse(statement, 0).problem == "");
    all += text + "\n";
  }
  CHECK(complaints(all) == "");
}

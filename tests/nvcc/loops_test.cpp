// Where nvcc is: which loops it unrolls, as docs/fidelity.md says.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "compile/toolchain.h"
#include "emulator/rewriter/loop_size.h"
#include "emulator/rewriter/rewrite.h"
#include "scratch.h"
#include "skip.h"
#include "support/files.h"
#include "support/process.h"

namespace {

/// Loads of global memory in each kernel's PTX.
std::map<std::string, int> global_loads(const std::string& ptx) {
  std::map<std::string, int> loads;
  std::istringstream lines(ptx);
  std::string kernel;
  for (std::string line; std::getline(lines, line);) {
    std::smatch entry;
    if (std::regex_search(line, entry, std::regex(R"(\.entry (\w+))"))) kernel = entry[1];
    loads[kernel] += line.find("ld.global") != std::string::npos;
  }
  loads.erase("");
  return loads;
}

/// How a test calls a function; most take one float `v`.
std::string call_of(const std::string& name) {
  static const std::set<std::string> of_two{
      "powf", "pow", "fmodf",  "hypotf",     "fmaxf",    "fminf",     "copysignf", "atan2f",
      "max",  "min", "__powf", "__fdividef", "fdividef", "__fadd_rn", "__fmul_rn"};
  if (name == "atomicAdd") return "atomicAdd(y, v)";
  if (name == "fmaf" || name == "__fmaf_rn") return name + "(v, s, v)";
  return name + (of_two.contains(name) ? "(v, s)" : "(v)");
}

/// A kernel with a loop that calls the function and also has `lines` additions.
std::string kernel_with(const std::string& function, int lines) {
  static const std::set<std::string> of_ints{"max",   "min",   "abs",   "__popc",
                                             "__clz", "__ffs", "__brev"};
  const std::string type = of_ints.contains(function) ? "int" : "float";
  std::string text = "extern \"C\" __global__ void k_" + function + "_" + std::to_string(lines) +
                     "(const " + type + "* x, " + type + "* y, int n) {\n  " + type +
                     " s = 0;\n  for (int i = threadIdx.x; i < n; i += 32) {\n    " + type +
                     " v = x[i];\n    s += " + call_of(function) + ";\n";
  for (int i = 0; i < lines; ++i) text += i % 2 && type == "int" ? "s ^= v;\n" : "s += v;\n";
  return text + "  }\n  y[threadIdx.x] = s;\n}\n";
}

/// 4, 2 or 1: how many copies of the loop's body the rewriter expects of nvcc.
int expected_copies(const std::string& kernel) {
  const std::string text = kata::emulator::rewrite(kernel, {}).text;
  for (const int copies : {4, 2}) {
    if (text.find(", " + std::to_string(copies) + ">(__kata_loop") != std::string::npos)
      return copies;
  }
  return 1;
}

/// The PTX that nvcc makes of it.
std::string ptx_of(const std::filesystem::path& nvcc, const std::filesystem::path& source) {
  const std::string ptx = source.string() + ".ptx";
  const auto made = kata::run({{nvcc.string(), "-O3", "-std=c++17", "-arch=sm_90a", "-w", "-ptx",
                                "-o", ptx, source.string()}});
  REQUIRE(made);
  CAPTURE(made->errors);
  REQUIRE(made->exit_status == 0);
  const auto text = kata::read_file(ptx);
  REQUIRE(text);
  return *text;
}

}  // namespace

TEST_CASE("nvcc unrolls loops whose number of iterations it can compute, and no others") {
  const auto nvcc = kata::find_cuda_tool("nvcc");
  if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
  const kata::test::Scratch folder;
  const auto source = folder.path() / "loops.cu";
  std::filesystem::copy_file(
      std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "fidelity" / "loops.cu", source);
  const auto loads = global_loads(ptx_of(nvcc, source));
  REQUIRE(loads.size() > 20);
  for (const auto& one : loads) {  // no structured binding: clang++ 14 captures none
    const std::string& kernel = one.first;
    const int count = one.second;
    CAPTURE(kernel);
    const int copies = kernel.ends_with("_by_four") ? 4 : kernel.ends_with("_by_two") ? 2 : 1;
    CHECK(count == (copies == 1 ? 1 : copies + 1));  // and the rest's
  }
}

TEST_SUITE("slow") {
  TEST_CASE("CUDA's functions are as large to nvcc as the rewriter takes them for") {
    const auto nvcc = kata::find_cuda_tool("nvcc");
    if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
    std::string source;
    std::map<std::string, int> expected;
    for (const std::string& function : kata::emulator::functions_of_known_size()) {
      constexpr int most_lines = 100;
      int before = expected_copies(kernel_with(function, 0));
      for (int lines = 1; lines <= most_lines && before > 1; ++lines) {
        const int copies = expected_copies(kernel_with(function, lines));
        if (copies == before) continue;
        for (const auto& [n, wanted] : {std::pair{lines - 1, before}, {lines, copies}}) {
          source += kernel_with(function, n);
          expected["k_" + function + "_" + std::to_string(n)] = wanted;
        }
        before = copies;
      }
      if (before > 1) FAIL("no limit found for " << function);
    }
    REQUIRE(expected.size() > 100);
    const kata::test::Scratch folder;
    const auto file = folder.path() / "sizes.cu";
    REQUIRE(kata::write_file(file, source) == "");
    const auto loads = global_loads(ptx_of(nvcc, file));
    for (const auto& one : expected) {  // no structured binding: clang++ 14 captures none
      CAPTURE(one.first);
      CHECK(loads.at(one.first) == (one.second == 1 ? 1 : one.second + 1));  // and the rest's
    }
  }
}

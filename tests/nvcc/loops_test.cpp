// Where nvcc is: which loops it unrolls, as docs/fidelity.md says.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <sstream>

#include "compile/toolchain.h"
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

}  // namespace

TEST_CASE("nvcc unrolls loops of which it can tell how often they run, and no others") {
  const auto nvcc = kata::find_cuda_tool("nvcc");
  if (nvcc.empty()) return kata::test::skip("nvcc is not installed");
  const kata::test::Scratch folder;
  const auto source = std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "fidelity" / "loops.cu";
  const auto ptx = folder.path() / "loops.ptx";
  const auto made =
      kata::run({{nvcc.string(), "-O3", "-std=c++17", "-arch=sm_90a", "-ptx", "-o", ptx, source}});
  REQUIRE(made);
  CAPTURE(made->errors);
  REQUIRE(made->exit_status == 0);
  const auto text = kata::read_file(ptx);
  REQUIRE(text);
  const auto loads = global_loads(*text);
  CHECK(loads.size() == 27);
  for (const auto& one : loads) {  // no structured binding: clang++ 14 captures none
    const std::string& kernel = one.first;
    const int count = one.second;
    CAPTURE(kernel);
    const int copies = kernel.ends_with("_by_four") ? 4 : kernel.ends_with("_by_two") ? 2 : 1;
    CHECK(count == (copies == 1 ? 1 : copies + 1));  // and the rest's
  }
}

// Findings and compile errors as editors read them.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "desk.h"
#include "skip.h"
#include "support/files.h"

using kata::test::contains;
using kata::test::content_of;
using kata::test::Desk;

namespace {

constexpr const char* two_findings =
    "#include <cuda_runtime.h>\n"
    "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const float value = x[i];\n"
    "  y[i] = fmaxf(value, 0.0f);\n"
    "}\n"
    "extern \"C\" void relu(const float* x, float* y, int n) {\n"
    "  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);\n"
    "}\n";

constexpr const char* two_compile_errors =
    "#include <cuda_runtime.h>\n"
    "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x\n"
    "  y[i] = 1;\n"
    "  float z = nowhere;\n"
    "}\n"
    "extern \"C\" void relu(const float* x, float* y, int n) {\n"
    "  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);\n"
    "}\n";

/// "mine.cu:4:23" for each place that vim's quickfix list has after :make.
std::vector<std::string> quickfix_places(const Desk& desk) {
  const auto vim = kata::run(
      {.arguments = {"vim", "-u", "NONE", "-N", "-es", "-c",
                     "set makeprg=" KATA_BINARY_DIR
                     "/kata\\ check\\ mine.cu\\ --backend\\ emulator",
                     "-c", "silent make!", "-c",
                     "call writefile(map(filter(getqflist(), 'v:val.valid'), "
                     "{_, one -> bufname(one.bufnr) . ':' . one.lnum . ':' . one.col}), 'places')",
                     "-c", "qa!"},
       .environment = desk.environment(),
       .folder = desk.scratch / "tree",
       .time_limit_s = 120});
  REQUIRE(vim);
  std::vector<std::string> places;
  std::istringstream lines(content_of(desk.scratch / "tree/places"));
  for (std::string line; std::getline(lines, line);) places.push_back(line);
  return places;
}

}  // namespace

TEST_CASE("vim's :make lists every finding and every compile error, at its line and column") {
  if (kata::find_program("vim").empty()) return kata::test::skip("vim is not installed");
  const Desk desk;
  desk.scratch.write("tree/mine.cu", two_findings);
  CHECK(quickfix_places(desk) == std::vector<std::string>{"mine.cu:4:23", "mine.cu:5:3"});
  desk.scratch.write("tree/mine.cu", two_compile_errors);
  const std::vector<std::string> errors = quickfix_places(desk);
  CHECK(std::count(errors.begin(), errors.end(), "mine.cu:3:54") == 1);  // no semicolon
  CHECK(std::count(errors.begin(), errors.end(), "mine.cu:5:13") == 1);
}

TEST_CASE("in vim, kata's plugin checks with :make and expands the snippets of VS Code") {
  if (kata::find_program("vim").empty()) return kata::test::skip("vim is not installed");
  const Desk desk;
  desk.scratch.write("vimrc", "filetype plugin on\nset runtimepath^=" KATA_SOURCE_DIR "/.vim\n");
  desk.scratch.write("tree/mine.cu", "{\n}\n");
  const auto vim = kata::run(
      {.arguments = {"vim", "-u", desk.scratch / "vimrc", "-N", "-es", "mine.cu", "-c",
                     "call writefile([&makeprg], 'makeprg')", "-c",
                     "exe \"normal 1Go  tid\\<C-J>\\<Esc>o  gridstride\\<C-J>y[i] = 0;\\<Esc>\"",
                     "-c", "exe \"normal Gonosnippet\\<C-J>end\\<Esc>\"", "-c", "wq"},
       .environment = desk.environment(),
       .folder = desk.scratch / "tree",
       .time_limit_s = 60});
  REQUIRE(vim);
  CHECK(content_of(desk.scratch / "tree/makeprg") == KATA_SOURCE_DIR
        "/harness/kata --plain check %:S\n");
  CHECK(content_of(desk.scratch / "tree/mine.cu") ==
        "{\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
        "       i += gridDim.x * blockDim.x) {\n"
        "    y[i] = 0;\n"
        "  }\n"
        "}\n"
        "nosnippet\nend\n");
}

TEST_CASE("the tasks for VS Code are commands of kata whose findings its gcc matcher reads") {
  const Desk desk;
  desk.scratch.write("tree/mine.cu", two_findings);
  const auto tasks = nlohmann::json::parse(content_of(KATA_SOURCE_DIR "/.vscode/tasks.json"));
  CHECK(tasks["tasks"].size() == 3);
  for (const auto& task : tasks["tasks"]) {
    CHECK(task["command"] == "${workspaceFolder}/harness/kata");
    CHECK(task["args"][0] == "--plain");
  }
  const auto finished = desk.start({"--plain", "check", "mine.cu", "--backend", "emulator"});
  // The expression of $gcc.
  const std::regex gcc(R"(^(.*):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$)");
  std::istringstream lines(finished.output);
  int found = 0;
  for (std::string line; std::getline(lines, line);) found += std::regex_match(line, gcc);
  CHECK(found == 2);
}

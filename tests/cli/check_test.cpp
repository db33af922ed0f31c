// `kata check` as it is typed: what it shows, and what it leaves behind.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "desk.h"
#include "problems/spec/problem.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Desk;
using Json = nlohmann::json;

TEST_CASE("an untouched stub is not attempted, and a check of it changes no state") {
  const Desk desk;
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 77);
  CHECK(contains(desk.start({"list"}).output, "not started"));
}

TEST_CASE("checking a solution leaves the person's state alone") {
  const Desk desk;
  const kata::Finished finished =
      desk.start({"check", "relu", "--solution", "1", "--backend", "emulator"});
  CHECK(finished.exit_status == 0);
  CHECK_FALSE(fs::exists(desk.scratch / "home/history.db"));
  // The name may follow the option.
  CHECK(desk.start({"check", "--backend", "emulator", "--solution", "relu"}).exit_status == 0);
}

TEST_CASE("an attempt whose result was shown is in the history, even if the rest is not read") {
  const Desk desk;
  desk.solve("relu");
  const auto finished = kata::run(
      {.arguments = {"sh", "-c", KATA_BINARY_DIR "/kata check relu --backend emulator | head -n 1"},
       .environment = desk.environment(),
       .folder = desk.scratch / "tree",
       .time_limit_s = 60});
  REQUIRE(finished);
  CHECK(contains(finished->output, "cases right"));
  CHECK(contains(desk.start({"history"}).output, "relu"));
}

TEST_CASE("a file from outside exercises/ is kept with its path, and counts for no exercise") {
  const Desk desk;
  const fs::path mine =
      desk.scratch.write("tree/mine.cu", desk.rung("relu/1_thread_per_element.cu"));
  const std::vector<std::string> check{"check", "mine.cu", "--backend", "emulator", "--no-ladder"};
  CHECK(desk.start(check).exit_status == 0);
  const Json attempts = Json::parse(desk.start({"history", "--json"}).output)["attempts"];
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0]["operator"] == "relu");
  CHECK(attempts[0]["path"] == fs::canonical(mine).string());
  CHECK(attempts[0]["grade"].is_null());
  CHECK(contains(desk.start({"history"}).output, "mine.cu"));
  CHECK(contains(desk.start({"list"}).output, "not started"));
}

TEST_CASE("memory that a stopped run had no time to free is no leak") {
  const Desk desk;
  const auto check = [&](const std::string& condition) {
    const fs::path file =
        desk.scratch.write("tree/mine.cu",
                           "#include <cuda_runtime.h>\n"
                           "__global__ void k(float* y, volatile int* flag, int n) {\n"
                           "  while (" +
                               condition +
                               ") {}\n"
                               "  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 1;\n"
                               "}\n"
                               "extern \"C\" void relu(const float*, float* y, int n) {\n"
                               "  int* flag;\n"
                               "  cudaMalloc(&flag, 4);\n"
                               "  cudaMemset(flag, 0, 4);\n"
                               "  k<<<1, 64>>>(y, flag, n);\n"
                               "}\n");
    return desk.start({"check", "mine.cu", "--backend", "emulator", "--no-ladder"}).output;
  };
  CHECK(contains(check("*flag"), "leak"));
  const std::string stopped = check("!*flag");
  CHECK(contains(stopped, "timeout"));
  CHECK_FALSE(contains(stopped, "leak"));
}

TEST_CASE("options that do not fit the file are refused before it is compiled") {
  const Desk desk;
  desk.scratch.write("tree/mine.cu",
                     "extern \"C\" void sgemm(const float*, int) {\n  does not compile\n}\n");
  const auto error = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"check", "mine.cu", "--backend", "emulator", "--json"});
    const kata::Finished finished = desk.start(options);
    CHECK(finished.exit_status == 2);
    return Json::parse(finished.output)["error"].get<std::string>();
  };
  CHECK(contains(error({}), "does not compile"));
  CHECK(contains(error({"--size", "4x4"}), "3 positive numbers: M x N x K"));
  CHECK(contains(error({"--size", "4y4"}), "is no size"));
  CHECK(contains(error({"--operator", "sgem"}), "Did you mean sgemm, sgemv?"));
  CHECK(contains(error({"--operator", "sgemm", "--entry", "solve"}), "no function solve"));
  CHECK(contains(error({"--entry", "sgemm"}), "--operator"));
  CHECK(
      contains(desk.start({"check", "relu", "--operator", "add"}).errors, "leave out --operator"));
}

TEST_CASE("--json is one object on standard output, for any verdict or error") {
  const Desk desk;
  const auto parsed = [&](const std::vector<std::string>& arguments) {
    const kata::Finished finished = desk.start(arguments);
    CHECK(finished.errors == "");
    const Json json = Json::parse(finished.output, nullptr, false);
    REQUIRE(json.is_object());
    return json;
  };
  const Json passed = parsed(
      {"check", "relu", "--solution", "1", "--backend", "emulator", "--json", "--seed", "7"});
  CHECK(passed["schema"] == 1);
  CHECK(passed["verdict"] == "pass");
  CHECK(passed["operator"] == "relu");
  CHECK(passed["seed"] == 7);
  CHECK(parsed({"check", "sofmax", "--json"})["verdict"] == "error");
  CHECK(parsed({"check", "relu", "--size", "x", "--json"})["verdict"] == "error");
}

TEST_CASE("a home that cannot be written does not break a check") {
  const Desk desk;
  desk.solve("relu");
  desk.scratch.write("home", "a file where the folder would be");
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
}

TEST_CASE("without a GPU a check estimates what yours and every rung would take on the chip") {
  const Desk desk;
  desk.solve("relu");
  const auto check = [&](const std::string& chip) {
    return desk.start({"check", "relu", "--backend", "emulator", "--chip", chip, "--json"});
  };
  const Json report = Json::parse(check("t4").output);
  CHECK(report.at("verdict") == "pass");
  const std::size_t sizes = kata::find_problem("relu")->bench_shapes.size();
  REQUIRE(report.at("estimates").size() == sizes * (desk.rungs("relu").size() + 1));  // and yours
  for (const Json& row : report.at("estimates")) {
    CAPTURE(row.dump());
    CHECK(row.at("chip") == "t4");
    CHECK(row.at("us") > 0);
    CHECK(row.at("limiter") != "");
    CHECK(row.at("occupancy") > 0);
    CHECK(row.at("extrapolated_from").is_null());
  }
  CHECK(report.at("estimates")[0].at("us") == report.at("estimates")[1].at("us"));
  CHECK_FALSE(Json::parse(check("none").output).contains("estimates"));
}

TEST_CASE("a bench of a kernel that fails says so") {
  const Desk desk;
  desk.write("relu",
             "#include <kata/kata.h>\n"
             "__global__ void kernel(const float* x, float* y) {\n"
             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  y[i] = fmaxf(x[i], 0.0f);\n"
             "}\n"
             "extern \"C\" void relu(const float* x, float* y, int n) {\n"
             "  kernel<<<(n + 255) / 256, 256>>>(x, y);\n"
             "}\n");
  const auto timed = desk.start({"bench", "relu", "--size", "1048576"});
  CHECK(timed.exit_status == 1);
  CHECK(contains(timed.output, "estimated for H200"));
  CHECK(contains(timed.output, "\nFAIL  relu"));
  CHECK(contains(timed.output, "out_of_bounds"));
}

TEST_CASE("the other rungs are compiled and counted only where somebody reads their counts") {
  const Desk desk;
  const fs::path counts = desk.scratch / "cache/counts";
  std::vector<std::string> check{"check", "relu", "--solution", "3", "--backend", "emulator"};
  const Desk::Environment own_cache{{"KATA_CACHE", desk.scratch / "cache"}};
  CHECK(contains(desk.start(check, {}, own_cache).output, "Level with rung 3"));
  CHECK_FALSE(fs::exists(counts));
  check.emplace_back("--verbose");
  CHECK(contains(desk.start(check, {}, own_cache).output, "Memory traffic"));
  CHECK(fs::exists(counts));
}

TEST_CASE("a kernel that keeps its sums in a __device__ variable is estimated as well") {
  const Desk desk;
  desk.scratch.write("tree/exercises/relu/relu.cu",
                     "#include <cuda_runtime.h>\n"
                     "__device__ int blocks;\n"
                     "__global__ void kernel(const float* x, float* y, int n) {\n"
                     "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n"
                     "  if (threadIdx.x == 0 && blockIdx.x == 0) blocks = gridDim.x;\n"
                     "}\n"
                     "extern \"C\" void relu(const float* x, float* y, int n) {\n"
                     "  kernel<<<(n - 1) / 256 + 1, 256>>>(x, y, n);\n"
                     "}\n");
  const kata::Finished finished = desk.start({"check", "relu", "--backend", "emulator", "--json"});
  const Json report = Json::parse(finished.output);
  CHECK(report.at("verdict") == "pass");
  CHECK(report.at("estimates")[0].at("name") == "yours");
  CHECK(report.at("estimates")[0].value("us", 0.0) > 0);
  CHECK_FALSE(report.at("estimates")[0].contains("error"));
}

TEST_CASE("check --lines shows what each line moves, and marks the one with advice") {
  const Desk desk;
  desk.scratch.write("tree/column.cu", R"(#include <cuda_runtime.h>

__global__ void column(const float* in, float* out, int rows, int cols) {
  const int row = threadIdx.x;
  for (int col = blockIdx.x; row < rows && col < cols; col += gridDim.x) {
    const float value = in[row * cols + col];
    out[col * rows + row] = value;
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  column<<<cols, 32>>>(in, out, rows, cols);
}
)");
  const std::vector<std::string> check{"check",    "column.cu", "--backend",
                                       "emulator", "--size",    "32x64"};
  std::vector<std::string> with_lines = check;
  with_lines.push_back("--lines");
  const std::string text = desk.start(with_lines).output;
  CHECK(contains(text, "column<<<64, 32>>>, 32.0 lanes active"));
  // A warp reads 32 floats, each 64 from the next: 32 sectors, where 4 hold as many; it writes 4.
  CHECK(contains(text, "! LDG      32/4         89%   6 |     const float value = in["));
  CHECK(contains(text, "  STG       4/4         11%   7 |     out[col * rows + row] = value;"));
  CHECK(contains(text, "lanes 0-31 read in[...] with a stride of 256 bytes: 32"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK_FALSE(contains(desk.start(check).output, "lanes active"));
}

TEST_CASE("a repeated check keeps --size, and quotes a path that a shell would read") {
  const Desk desk;
  std::string text = desk.rung("relu/1_thread_per_element.cu");
  const std::size_t guard = text.find("if (i < n) ");
  REQUIRE(guard != std::string::npos);
  desk.scratch.write("tree/$(touch pwned).cu", text.erase(guard, 11));
  const auto finished =
      desk.start({"check", "$(touch pwned).cu", "--size", "77", "--backend", "emulator"});
  CHECK(finished.exit_status == 1);
  CHECK(contains(finished.output,
                 "harness/kata check '$(touch pwned).cu' --size 77 --backend emulator --seed "));
}

TEST_CASE("the report that ctest shows at its end breaks no word in 80 columns") {
  const Desk desk;
  std::string text = desk.rung("relu/1_thread_per_element.cu");
  desk.write("relu", text.erase(text.find("if (i < n) "), 11));
  desk.start({"check", "relu", "--backend", "emulator", "--report-folder", "reports"});
  const std::string report = content_of(desk.scratch / "tree/reports/relu.txt");
  CHECK(contains(report, "error: out_of_bounds"));
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("what a kernel prints is counted, and shown whole with --output") {
  const Desk desk;
  std::string text = desk.rung("relu/1_thread_per_element.cu");
  text.insert(text.find("if (i < n) "), "printf(\"thread %d of many\\n\", i);\n  ");
  desk.scratch.write("tree/mine.cu", text);
  std::vector<std::string> check{"check",     "mine.cu",  "--size", "1000",
                                 "--backend", "emulator", "--chip", "none"};
  CHECK(contains(desk.start(check).output, "lines (--output shows them)"));
  CHECK_FALSE(contains(desk.start(check).output, "thread 3 of many"));
  check.emplace_back("--output");
  const std::string all = desk.start(check).output;
  CHECK(contains(all, "    thread 3 of many\n"));
  CHECK(contains(all, "    thread 999 of many\n"));
}

TEST_CASE("a finding says what the kernel calls the buffer, if that is another name") {
  const Desk desk;
  desk.write("relu",
             "#include <kata/kata.h>\n"
             "template <int N>\n"
             "__global__ void __launch_bounds__(256) clamp(const float* in, float* out, int n) {\n"
             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  out[i] = fmaxf(in[i < n ? i : 0], 0.0f);\n"
             "}\n"
             "extern \"C\" void relu(const float* x, float* y, int n) {\n"
             "  clamp<4><<<(n + 255) / 256, 256>>>(x, y, n);\n"
             "}\n");
  const std::string text = desk.start({"check", "relu", "--backend", "emulator"}).output;
  CHECK(contains(text, "y is out in clamp"));
}

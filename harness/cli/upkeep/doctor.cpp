// kata doctor: tools that were found, tools that are missing, what each costs and how to get it.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "compile/toolchain.h"
#include "grading/gpu.h"
#include "grading/grade.h"
#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "report/layout.h"
#include "serve/serve.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

/// One line of the answer; where something is missing, two more.
struct Item {
  std::string name;
  std::optional<std::string> found;  ///< version or place
  std::string cost = {};             ///< what cannot be done without it
  std::string remedy = {};           ///< how to get it
};

/// The first number with a dot in it after `mark`: "12.2.0"; empty if there is none.
std::string version_in(const std::string& text, const std::string& mark = "") {
  constexpr const char* digits = "0123456789";
  std::size_t start = text.find(mark);
  while ((start = text.find_first_of(digits, start)) != std::string::npos) {
    const std::size_t end = text.find_first_not_of("0123456789.", start);
    const std::string number = text.substr(start, end - start);
    if (number.find('.') != std::string::npos) return number;
    start = end;
  }
  return "";
}

/// The version that a program says it has; nothing if it is not there or does not run.
std::optional<std::string> version_of(const std::string& program, const std::string& mark = "") {
  const Result<Finished> finished =
      kata::run({.arguments = {program, "--version"}, .time_limit_s = 10});
  if (!finished || finished->exit_status != 0) return {};
  return version_in(finished->output, mark);
}

std::vector<Item> compilers() {
  const std::optional<std::string> gcc = version_of("g++"), clang = version_of("clang++");
  std::vector<Item> items;
  items.push_back({"g++", gcc,
                   clang ? "nothing: clang++ compiles for the emulator"
                         : "the emulator: no candidate can be compiled for it",
                   "apt-get install g++"});
  items.push_back({"clang++", clang,
                   gcc ? "nothing: g++ compiles for the emulator"
                       : "the emulator: no candidate can be compiled for it",
                   "apt-get install clang"});
  items.push_back({"clangd", version_of("clangd"), "completion and errors in editors",
                   "apt-get install clangd"});
  return items;
}

std::optional<std::string> driver_version() {
  const std::optional<std::string> text = read_file("/proc/driver/nvidia/version");
  if (!text) return {};
  return version_in(*text);
}

/// The folder that has it.
std::optional<std::string> header_in(const std::vector<fs::path>& folders, const char* name) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name, ignored)) return folder.lexically_normal().string();
  }
  return {};
}

std::vector<Item> gpu_items() {
  const std::string toolkit_remedy =
      "the CUDA Toolkit, from https://developer.nvidia.com/cuda-downloads";
  const Result<Toolchain> toolchain = gpu_toolchain("", {});
  const fs::path nvcc = toolchain ? toolchain->compiler : fs::path();
  const std::vector<fs::path> includes = header_folders(nvcc);
  const std::optional<std::string> version =
      nvcc.empty() ? std::nullopt : version_of(nvcc.string(), "release ");
  std::vector<Item> items;
  items.push_back({"nvcc", version, "the gpu backend, and all times", toolkit_remedy});
  items.push_back(
      {"cuBLAS", header_in(includes, "cublas_v2.h"), "the cuBLAS row in tables", toolkit_remedy});
  items.push_back({"cuDNN", header_in(includes, "cudnn.h"), "the cuDNN row in tables",
                   "cuDNN, from https://developer.nvidia.com/cudnn-downloads; "
                   "where it is no system package, CPATH, LIBRARY_PATH and "
                   "LD_LIBRARY_PATH must name its folders"});
  items.push_back(
      {"CUB", header_in(includes, "cub/cub.cuh"), "the CUB row in tables", toolkit_remedy});
  items.push_back({"nvdisasm", version_of(find_cuda_tool("nvdisasm").string(), ", V"),
                   "SASS in kata asm, which shows PTX instead",
                   "the CUDA Toolkit, or its package cuda-nvdisasm"});
  items.push_back({"ncu", version_of(find_cuda_tool("ncu").string(), "Version "), "kata profile",
                   "Nsight Compute, from https://developer.nvidia.com/nsight-compute, or its "
                   "package nsight-compute"});
  items.push_back({"driver", driver_version(), "the gpu backend; without a card it is not needed",
                   "NVIDIA's driver: apt-get install nvidia-driver"});
  Item device{"GPU", {}, "the gpu backend; the emulator judges instead", ""};
  if (gpu()) {
    device.found =
        fmt::format("{}, compute capability {}.{}", gpu()->name, gpu()->major, gpu()->minor);
  } else {
    device.remedy = items.back().found ? gpu().error().message : "there is no GPU without a driver";
  }
  items.push_back(device);
  return items;
}

Item page_editor() {
  const Result<std::string> found = serve::find_codemirror();
  if (found) return {"CodeMirror", *found};
  return {"CodeMirror", {}, "kata serve, the page in a browser", found.error().message};
}

bool can_write_in(const fs::path& folder) {
  const fs::path probe = folder / "doctor";
  if (!write_file(probe, "").empty()) return false;
  std::error_code ignored;
  return fs::remove(probe, ignored);
}

std::vector<Item> folders() {
  std::vector<Item> items;
  const auto add = [&](const char* name, const fs::path& folder, const char* cost,
                       const char* variable) {
    Item item{name,
              {},
              cost,
              fmt::format("{} cannot be written; set {} to a folder that can", folder.string(),
                          variable)};
    if (can_write_in(folder)) item.found = folder.string();
    items.push_back(item);
  };
  add("your state", state_folder(), "no history, no review; `kata reset` refuses", "KATA_HOME");
  add("compiled files", cache_folder(), "nothing can be compiled", "KATA_CACHE");
  return items;
}

/// The whole way, once: a rung that is known to be right, compiled and judged on the emulator.
Item emulator_at_work() {
  Item item{"emulator", {}, "judging without a GPU", ""};
  const Problem* const problem = find_problem("add");  // a check takes three seconds
  const std::vector<Rung> rungs = problem ? ladder(problem->name) : std::vector<Rung>();
  if (rungs.empty()) {
    item.remedy =
        fmt::format("{} holds no solution to try it with", (root() / "solutions").string());
    return item;
  }
  const auto start = std::chrono::steady_clock::now();
  const Report report = grade(rungs.front().path, {.problem = problem}, {.with_ladder = false});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (report.verdict == Verdict::pass) {
    item.found = fmt::format("judged {} of {} in {:.1f} s", rungs.front().name, problem->name,
                             elapsed.count());
  } else {
    item.remedy = fmt::format("it does not judge a right kernel as right: {} check {} --solution 1",
                              command_name(), problem->name);
  }
  return item;
}

void print_items(const char* title, const std::vector<Item>& items, bool color) {
  fmt::print("{}\n", title);
  for (const Item& item : items) {
    const char* const state = item.found ? "ok" : "missing";
    const auto shade = item.found ? layout::Color::green : layout::Color::yellow;
    const std::string text = item.found ? *item.found : "costs " + item.cost;
    constexpr std::size_t margin = 26, less_margin = 4;
    std::string words = layout::paragraph(text, margin).substr(margin);
    // A path that does not fit begins in a line of its own.
    if (words.find(' ') == std::string::npos && margin + words.size() > layout::width + 1)
      words = "\n" + std::string(less_margin, ' ') + words;
    fmt::print("  {:<15}{}{:{}}{}", item.name, layout::paint(state, shade, color), "",
               9 - std::string_view(state).size(), words);
    if (!item.found) fmt::print("{}", layout::paragraph(item.remedy, margin));
  }
}

nlohmann::json json_of(const char* group, const std::vector<Item>& items) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Item& item : items) {
    nlohmann::json row = {{"group", group}, {"name", item.name}, {"found", nullptr}};
    if (item.found)
      row["found"] = *item.found;
    else
      row.update({{"costs", item.cost}, {"remedy", item.remedy}});
    rows.push_back(std::move(row));
  }
  return rows;
}

int doctor(const Session& session, bool json) {
  const bool color = color_wanted(session.plain);
  Item emulator;
  std::vector<Item> gpu_rows;
  {
    Progress progress(session.plain || json);
    progress.say("asking the GPU");
    gpu_rows = gpu_items();
    progress.say("trying the emulator");
    emulator = emulator_at_work();
  }
  if (interrupted()) return exit_error;
  std::vector<Item> tools = compilers();
  tools.push_back(page_editor());
  const bool can_judge = emulator.found || gpu();
  nlohmann::json rows = nlohmann::json::array();
  const auto show = [&](const char* title, const std::vector<Item>& items) {
    if (!json) return print_items(title, items, color);
    for (nlohmann::json& row : json_of(title, items)) rows.push_back(std::move(row));
  };
  show("Judging without a GPU", {emulator});
  show("Compilers and editors", tools);
  show("GPU", gpu_rows);
  show("Folders", folders());
  if (json) {
    print_json({{"schema", 1}, {"can_judge", can_judge}, {"items", rows}});
    return can_judge ? 0 : exit_error;
  }
  fmt::print("\n{}\n", can_judge ? "kata can judge your kernels on this machine."
                                 : "kata cannot judge anything on this machine yet; see above.");
  return can_judge ? 0 : exit_error;
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  static bool json = false;
  Command(app, "doctor", "Show what this machine has, and what it lacks")
      .flag("--json", json, "One JSON object on standard output")
      .does([&session] { session.status = doctor(session, json); });
}

}  // namespace kata::cli

#include "assembly/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "grading/registers.h"
#include "timing/estimate.h"

namespace kata::assembly {
namespace {

std::size_t largest(const Assembly& assembly) {
  const auto found = std::ranges::max_element(
      assembly.kernels, {}, [](const Kernel& one) { return one.instructions.size(); });
  return static_cast<std::size_t>(found - assembly.kernels.begin());
}

Pipe pipe_named(const std::string& name) {
  const std::vector<Pipe> all = all_pipes();
  const auto found = std::ranges::find(all, name, [](Pipe one) { return to_string(one); });
  return found == all.end() ? Pipe::move : *found;
}

}  // namespace

std::size_t KernelSummary::instructions() const {
  return std::accumulate(mix.begin(), mix.end(), std::size_t{0},
                         [](std::size_t sum, const auto& one) { return sum + one.second; });
}

Summary summary_of(const Assembly& assembly, std::size_t main) {
  Summary summary{.language = assembly.language,
                  .toolkit = assembly.toolkit,
                  .architecture = assembly.architecture,
                  .main = main};
  for (const Kernel& one : assembly.kernels)
    summary.kernels.push_back({one.resources, mix_of(one.instructions)});
  return summary;
}

std::size_t main_kernel(const Assembly& assembly, const std::vector<LaunchProfile>& launches,
                        const Cost& cost, const Chip& chip) {
  std::vector<LaunchProfile> kernels = launches;
  std::erase_if(kernels, is_fill);
  std::vector<KernelResources> resources;
  for (const Kernel& one : assembly.kernels) resources.push_back(one.resources);
  const std::vector<LaunchEstimate> estimates = estimate_launches(kernels, cost, chip);
  double longest = 0;
  std::size_t found = largest(assembly);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double seconds = combined(estimates[i].limiters, chip.fitted.norm);
    const KernelResources* const kernel = kernel_of(kernels[i], resources);
    if (!kernel || seconds <= longest) continue;
    longest = seconds;
    found = static_cast<std::size_t>(kernel - resources.data());
  }
  return found;
}

std::string short_name(const std::string& kernel) {
  std::string name = kernel;
  for (const std::string drop : {"(anonymous namespace)::", "void "}) {
    for (std::size_t at; (at = name.find(drop)) != std::string::npos;) name.erase(at, drop.size());
  }
  if (!name.ends_with(')')) return name;
  int depth = 0;  // the parameters are the last pair of parentheses
  for (std::size_t at = name.size(); at-- > 0;) {
    depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    if (depth == 0) return name.substr(0, at);
  }
  return name;
}

void to_json(nlohmann::json& json, const Summary& summary) {
  json = {{"language", to_string(summary.language)},
          {"toolkit", summary.toolkit},
          {"architecture", summary.architecture},
          {"main", summary.main},
          {"kernels", nlohmann::json::array()}};
  if (!summary.date.empty()) json["date"] = summary.date;
  for (const KernelSummary& one : summary.kernels) {
    nlohmann::json mix = nlohmann::json::object();
    for (const auto& [pipe, count] : one.mix) mix[to_string(pipe)] = count;
    json["kernels"].push_back({{"name", one.resources.kernel},
                               {"registers", one.resources.registers},
                               {"spilled_bytes", one.resources.spilled_bytes},
                               {"static_shared_bytes", one.resources.static_shared_bytes},
                               {"mix", mix}});
  }
}

void from_json(const nlohmann::json& json, Summary& summary) {
  summary = {
      .language = json.at("language") == to_string(Language::sass) ? Language::sass : Language::ptx,
      .toolkit = json.at("toolkit"),
      .architecture = json.at("architecture"),
      .date = json.value("date", ""),
      .main = json.at("main")};
  for (const nlohmann::json& one : json.at("kernels")) {
    KernelSummary kernel{.resources = {.kernel = one.at("name"),
                                       .registers = one.at("registers"),
                                       .static_shared_bytes = one.at("static_shared_bytes"),
                                       .spilled_bytes = one.at("spilled_bytes")}};
    for (const auto& [pipe, count] : one.at("mix").items()) kernel.mix[pipe_named(pipe)] = count;
    summary.kernels.push_back(std::move(kernel));
  }
  if (summary.main >= summary.kernels.size()) summary.main = 0;
}

}  // namespace kata::assembly

#pragma once
// What is kept of a file's assembly: registers, spills and instructions by pipe, for each kernel.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assembly/assembly.h"
#include "problems/spec/problem.h"
#include "report/profile.h"
#include "timing/chip.h"

namespace kata::assembly {

struct KernelSummary {
  KernelResources resources;
  Mix mix = {};

  std::size_t instructions() const;
};

struct Summary {
  Language language = Language::ptx;
  std::string toolkit, architecture;  ///< "13.0.88", "sm_90a"
  std::string date = {};              ///< of a kept one: "2026-11-29"
  std::vector<KernelSummary> kernels = {};
  std::size_t main = 0;  ///< the kernel that counts most, by its index
};

/// `main`: an index of Assembly::kernels.
Summary summary_of(const Assembly& assembly, std::size_t main);

/// The kernel that takes longest of these launches, by its index; without launches, or if none of
/// them is there, the one with the most instructions.
std::size_t main_kernel(const Assembly& assembly, const std::vector<LaunchProfile>& launches,
                        const Cost& cost, const Chip& chip);

/// "softmax_rows_kernel<true>": without parameters, result and namespaces that have no name.
std::string short_name(const std::string& kernel);

void to_json(nlohmann::json& json, const Summary& summary);
/// Throws nlohmann::json::exception where the text is damaged.
void from_json(const nlohmann::json& json, Summary& summary);

}  // namespace kata::assembly

#include "grading/registers.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "report/hardware.h"
#include "support/parallel.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// The template arguments in a kernel's name, as they are written: {"8", "VECTOR"}.
std::vector<std::string> template_arguments(const std::string& name) {
  std::vector<std::string> arguments;
  int depth = 0;
  for (const char c : name) {
    if (c == '>' && --depth == 0) break;
    if (depth == 1 && c == ',') {
      arguments.emplace_back();
    } else if (depth > 0 && c != ' ') {
      arguments.back() += c;
    }
    if (c == '<' && ++depth == 1) arguments.emplace_back();
  }
  return arguments;
}

/// An argument that is a decimal number, true or false, without its suffix; else nothing.
std::optional<std::string> literal(std::string argument) {
  if (argument == "true" || argument == "false") return argument;
  while (!argument.empty() && std::string_view("uUlL").find(argument.back()) != std::string::npos)
    argument.pop_back();
  const bool is_number =
      !argument.empty() && std::all_of(argument.begin(), argument.end(),
                                       [](unsigned char c) { return std::isdigit(c); });
  return is_number ? std::optional(argument) : std::nullopt;
}

/// Whether a launch as it is written may mean that kernel: what it spells as a number, true or
/// false is in the kernel's name as well.
bool may_mean(const std::string& launch, const std::string& kernel) {
  const std::vector<std::string> written = template_arguments(launch);
  const std::vector<std::string> named = template_arguments(kernel);
  for (std::size_t i = 0; i < std::min(written.size(), named.size()); ++i) {
    const auto one = literal(written[i]), other = literal(named[i]);
    if (one && other && *one != *other) return false;
  }
  return true;
}

}  // namespace

std::map<fs::path, std::vector<KernelResources>> registers_of(const std::vector<fs::path>& sources,
                                                              const Chip& chip) {
  std::vector<std::vector<KernelResources>> found(sources.size());
  const auto ask = [&](std::size_t i) {
    if (auto kernels = kernel_resources(sources[i], chip.compute_capability))
      found[i] = std::move(*kernels);
  };
  if (sources.empty()) return {};
  ask(0);
  if (found[0].empty()) return {};
  in_parallel(sources.size() - 1, [&](std::size_t i) { ask(i + 1); });

  std::map<fs::path, std::vector<KernelResources>> result;
  for (std::size_t i = 0; i < sources.size(); ++i) result[sources[i]] = std::move(found[i]);
  return result;
}

const KernelResources* kernel_of(const LaunchProfile& launch,
                                 const std::vector<KernelResources>& kernels) {
  const std::string name = plain_kernel_name(launch.counts.name);
  const auto fits = [&](const KernelResources& one) {
    return one.static_shared_bytes == launch.counts.shared_bytes;
  };
  const KernelResources* best = nullptr;
  for (const KernelResources& kernel : kernels) {
    if (plain_kernel_name(kernel.kernel) != name || !may_mean(launch.counts.name, kernel.kernel))
      continue;
    if (!best ||
        std::pair(fits(*best), best->registers) < std::pair(fits(kernel), kernel.registers))
      best = &kernel;
  }
  return best;
}

void set_registers(const std::vector<KernelResources>& kernels,
                   std::vector<LaunchProfile>& launches) {
  for (LaunchProfile& launch : launches) {
    if (const KernelResources* const kernel = kernel_of(launch, kernels))
      launch.registers = kernel->registers;
  }
}

}  // namespace kata

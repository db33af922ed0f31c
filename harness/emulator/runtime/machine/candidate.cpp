// Which machine code is a launch's, and what it needs of the module.

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <cctype>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "emulator/runtime/launch/machine_code.h"
#include "emulator/runtime/machine/code.h"
#include "emulator/runtime/machine/launch.h"
#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {
namespace {

/// The same for the name that g++ gives a function and that nvcc gives it: internal ones have a
/// namespace of their file.
std::string plain(const std::string& name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::", internal = "_INTERNAL_";
  const auto is_of_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = std::string_view(name).substr(at);
    const auto word = std::find_if_not(rest.begin(), rest.end(), is_of_word);
    const auto behind = rest.substr(static_cast<std::size_t>(word - rest.begin()));
    if (rest.starts_with(unnamed)) {
      at += unnamed.size();
    } else if (rest.starts_with(internal) && behind.starts_with("::")) {
      at = name.size() - behind.size() + 2;
    } else {
      result += name[at++];
    }
  }
  return result;
}

/// What a closure holds before the arguments: the kernel's address.
constexpr std::size_t before_arguments = sizeof(void*);

std::optional<std::vector<std::byte>> arguments_of(const Launch& launch, std::size_t bytes) {
  const std::size_t held = launch.config.closure_bytes;
  const void* function = nullptr;
  if (held < before_arguments + bytes || held > before_arguments + bytes + 15) return {};
  std::memcpy(&function, launch.closure, sizeof function);
  if (function != launch.config.function) return {};
  const auto* first = static_cast<const std::byte*>(launch.closure) + before_arguments;
  return std::vector<std::byte>(first, first + bytes);
}

class CandidateCode : public MachineCode {
 public:
  explicit CandidateCode(std::unique_ptr<machine::Cubin> cubin) : cubin_(std::move(cubin)) {
    for (const auto& [symbol, kernel] : cubin_->kernels)
      kernels_[plain(boost::core::demangle(symbol.c_str()))] = &kernel;
  }

  std::optional<MachineCounts> count(Launch& launch) override;
  bool agrees(Launch& launch, const MachineCounts& counts) const override;

 private:
  /// Throws Unsupported.
  MachineCounts run(const Launch& launch);

  /// By readable name: variables of the module that this function is in.
  const std::map<std::string, std::uintptr_t>& variables_beside(const void* function);

  bool set_variables(const void* function, machine::Launch& run);
  std::vector<SourceLine> lines_of(const machine::Kernel& kernel) const;

  std::unique_ptr<machine::Cubin> cubin_;
  std::map<std::string, const machine::Kernel*> kernels_;  ///< by readable name
  std::map<std::string, std::uintptr_t> variables_;
  std::uintptr_t variables_of_ = 0;  ///< the module's lowest address
  machine::Overlay written_;         ///< by the launch that was counted last
};

const std::map<std::string, std::uintptr_t>& CandidateCode::variables_beside(const void* function) {
  const std::uintptr_t module = module_of(function).low;
  if (std::exchange(variables_of_, module) == module) return variables_;
  variables_.clear();
  for (const AddressRange& one : variable_places_of(function).variables)
    variables_[plain(symbol_at(one.low).name)] = one.low;
  return variables_;
}

/// Fills in what depends on the module's variables.
bool CandidateCode::set_variables(const void* function, machine::Launch& run) {
  run.banks.insert(cubin_->banks.begin(), cubin_->banks.end());
  if (cubin_->variables.empty()) return true;
  const auto& variables = variables_beside(function);
  for (const machine::VariablePlace& one : cubin_->variables) {
    const auto variable = variables.find(plain(boost::core::demangle(one.symbol.c_str())));
    std::vector<std::byte>& bank = run.banks[one.bank];
    const std::uint64_t bytes = one.bytes > 0 ? one.bytes : sizeof(std::uint64_t);
    if (variable == variables.end() || one.offset + bytes > bank.size()) return false;
    const std::uint64_t address = variable->second + one.added;
    const void* const from =
        one.bytes > 0 ? reinterpret_cast<const void*>(variable->second) : &address;
    std::memcpy(bank.data() + one.offset, from, bytes);
  }
  return true;
}

std::vector<SourceLine> CandidateCode::lines_of(const machine::Kernel& kernel) const {
  std::vector<SourceLine> lines(kernel.code.size());
  for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
    const auto& [file, line] = kernel.lines[i];
    if (line > 0 && file < cubin_->files.size())
      lines[i] = {cubin_->files[file], static_cast<int>(line)};
  }
  return lines;
}

std::optional<MachineCounts> CandidateCode::count(Launch& launch) {
  try {
    return run(launch);
  } catch (const machine::Unsupported& reason) {
    launch.by_rules = reason.what;
    return {};
  }
}

MachineCounts CandidateCode::run(const Launch& launch) {
  const auto address = reinterpret_cast<std::uintptr_t>(launch.config.function);
  const auto found = kernels_.find(plain(symbol_at(address).name));
  if (address == 0 || found == kernels_.end())
    throw machine::Unsupported{"nvcc's code has no kernel of this name"};
  const machine::Kernel& kernel = *found->second;
  if (kernel.has_outside_code) throw machine::Unsupported{"calls of other code"};
  auto parameters = arguments_of(launch, kernel.parameter_bytes);
  if (!parameters) throw machine::Unsupported{"its arguments are laid out otherwise"};
  const auto extents = [](const Triple& of) { return std::array{of.x, of.y, of.z}; };
  const Triple& cluster = launch.config.cluster;
  machine::Launch run(kernel,
                      {extents(launch.config.grid),
                       extents(launch.config.block),
                       {std::max(1u, cluster.x), std::max(1u, cluster.y), std::max(1u, cluster.z)},
                       kernel.shared_bytes + launch.config.shared_bytes,
                       std::move(*parameters)});
  run.memory.variables = launch.variables->variables();
  if (!set_variables(launch.config.function, run))
    throw machine::Unsupported{"variables that g++ names otherwise"};
  const std::uint64_t counted = machine::run_some_blocks(run, launch.config.cooperative != 0);
  if (counted < launch.blocks)
    for (auto& [instruction, made] : run.counts) made.scale(launch.blocks, counted);
  written_ = std::move(run.memory);
  return {std::move(run.counts), lines_of(kernel), counted};
}

bool CandidateCode::agrees(Launch& launch, const MachineCounts& counts) const {
  // Roundings, and ties that they decide, may differ in a few words; parts of doubles may look
  // small.
  constexpr std::uint64_t share_elsewhere = 64, share_unequal = 4;
  if (launch.error || launch.order_matters || launch.blocks_wait) return true;
  const machine::Differences found = written_.differences(counts.counted_blocks == launch.blocks);
  if (found.elsewhere * share_elsewhere > found.changed)
    launch.by_rules = "its machine code stores elsewhere";
  else if (found.integers * 2 > found.changed && found.unequal * share_unequal > found.integers)
    launch.by_rules = "its machine code stores other integers";
  return launch.by_rules.empty();
}

}  // namespace
}  // namespace kata::emulator

extern "C" kata::emulator::MachineCode* kata_read_machine_code(const char* file) {
  auto cubin = kata::emulator::machine::read_cubin(file);
  return cubin ? new kata::emulator::CandidateCode(std::move(cubin)) : nullptr;
}

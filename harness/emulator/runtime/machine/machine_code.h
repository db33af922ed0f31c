#pragma once
// The candidate's machine code, where the harness has made it: it says what the kernel asks of
// memory, as nvcc has unrolled, merged and predicated it.

#include <map>
#include <optional>
#include <string>

#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/machine/code.h"
#include "emulator/runtime/machine/launch.h"

namespace kata::emulator {

/// What a launch's machine code has asked of memory.
struct MachineCounts {
  InstructionCounts requests;     ///< `code` is the number of the instruction, from 1
  std::vector<SourceLine> lines;  ///< of the instructions
  std::uint64_t counted_blocks = 0;
};

class MachineCode {
 public:
  static MachineCode& instance();

  /// The cubin of the candidates that run from now on; empty: there is none.
  void use(const std::string& cubin);

  /// Runs the launch's blocks, or some of them, on a copy of what they write, before the launch
  /// itself runs. Nothing where there is no machine code of it, or code that this cannot run.
  std::optional<MachineCounts> count(const Launch& launch);

 private:
  /// By readable name: variables of the module that this function is in.
  const std::map<std::string, std::uintptr_t>& variables_beside(const void* function);

  bool set_variables(const void* function, machine::Launch& run);
  std::vector<SourceLine> lines_of(const machine::Kernel& kernel) const;

  std::unique_ptr<machine::Cubin> cubin_;
  std::map<std::string, const machine::Kernel*> kernels_;  ///< by readable name
  std::map<std::string, std::uintptr_t> variables_;
  std::uintptr_t variables_of_ = 0;  ///< the module's lowest address
};

}  // namespace kata::emulator

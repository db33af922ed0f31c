#pragma once
// The candidate's machine code, where the harness has made it: it says what the kernel asks of
// memory, as nvcc has unrolled, merged and predicated it. runtime/machine reads and runs it: a
// library of its own beside the program, which is built and loaded only where counters are shown.

#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/launch/launch.h"

namespace kata::emulator {

/// What a launch's machine code has asked of memory.
struct MachineCounts {
  InstructionCounts requests;     ///< `code` is the number of the instruction, from 1
  std::vector<SourceLine> lines;  ///< of the instructions
  std::uint64_t counted_blocks = 0;
};

class MachineCode {
 public:
  /// Nothing, where the file is none or the library is not there.
  static std::unique_ptr<MachineCode> of(const std::string& cubin);

  virtual ~MachineCode() = default;

  /// Runs the launch's blocks, or some of them, on a copy of what they write, before the launch
  /// itself runs. Nothing where there is no machine code of it, or code that this cannot run:
  /// `launch.by_rules` says why.
  virtual std::optional<MachineCounts> count(Launch& launch) = 0;
  /// When the launch that was counted last has run: whether it has written where its machine code
  /// has, and the same integers. If not, `launch.by_rules` says so.
  virtual bool agrees(Launch& launch, const MachineCounts& counts) const = 0;
};

/// What the library has, under this name.
constexpr auto* machine_code_library = "kata-machine-code.so";
constexpr auto* read_machine_code = "kata_read_machine_code";
using ReadMachineCode = MachineCode*(const char* cubin);

}  // namespace kata::emulator

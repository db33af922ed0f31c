#pragma once
// What `kata asm` prints. 80 columns.

#include <string>

#include "assembly/summary.h"

namespace kata::assembly {

/// Each kernel's registers, spills, shared memory and number of instructions, then the mix of the
/// main one.
std::string summary_text(const Summary& summary, bool color);

/// The source lines of a kernel with the opcodes beside each; with `all`, every instruction below
/// its line, with its pipe.
std::string listing_text(const Assembly& assembly, const Kernel& kernel, bool all, bool color);

/// The main kernels of two files: resources, pipes, and the opcodes that differ most.
struct Side {
  std::string name;
  Summary summary;
  std::vector<Instruction> instructions = {};  ///< of the main kernel; none where it was kept
};
std::string comparison_text(const Side& before, const Side& after, bool color);

/// Source lines with their instructions, in the order of the files and lines.
struct LineOfCode {
  Place place;
  std::string source;
  std::vector<const Instruction*> instructions;
};
std::vector<LineOfCode> by_line(const Assembly& assembly, const Kernel& kernel);

}  // namespace kata::assembly

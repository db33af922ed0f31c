#pragma once
// The line table of a cubin: DWARF 2, with NVIDIA's extension for inlined code.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/runtime/machine/code.h"

namespace kata::emulator::machine {

/// By place in the table: the section that the address there belongs to.
using LineRelocations = std::map<std::uint64_t, std::string>;

struct LineTable {
  std::vector<std::string> files;
  std::map<std::string, std::map<std::uint64_t, std::size_t>> rows;  ///< by section and address
  struct Row {
    Line line = {};
    std::size_t caller = 0;  ///< row of the code that this was inlined into, from 1; 0: none
  };
  std::vector<Row> all;

  /// Of inlined functions' code the innermost line in a file that is no header of CUDA.
  Line at(const std::string& section, std::uint64_t address) const;
};

LineTable read_lines(const std::string& section, const LineRelocations& relocations);

}  // namespace kata::emulator::machine

#pragma once
// Machine code of a candidate's kernels, as nvcc's ptxas makes it for sm_90a: what is read from its
// cubin, an ELF file.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kata::emulator::machine {

/// 128 bits. NVIDIA does not document them; the fields are those that open-source compilers write.
struct Word {
  std::uint64_t low = 0, high = 0;

  std::uint64_t bits(unsigned first, unsigned count) const {
    const std::uint64_t from = first >= 64  ? high >> (first - 64)
                               : first == 0 ? low
                                            : low >> first | high << (64 - first);
    return count == 64 ? from : from & ((std::uint64_t{1} << count) - 1);
  }
  bool bit(unsigned place) const { return bits(place, 1) != 0; }
  unsigned field(unsigned first, unsigned count = 8) const {
    return static_cast<unsigned>(bits(first, count));
  }
};

/// A line of a source file.
struct Line {
  unsigned file = 0;  ///< in Cubin::files
  unsigned line = 0;  ///< 0: none
};

struct Kernel {
  std::string symbol;
  std::vector<Word> code;
  std::vector<Line> lines;       ///< of each word
  std::size_t shared_bytes = 0;  ///< static ones
  unsigned parameters_at = 0;    ///< in the constants
  unsigned parameter_bytes = 0;
  bool has_outside_code = false;  ///< it calls functions elsewhere, or needs addresses of variables
};

/// A place in a bank of constants that depends on a variable: it holds its address, or its value.
struct VariablePlace {
  unsigned bank = 0;
  std::uint64_t offset = 0;  ///< in the bank
  std::string symbol;
  std::uint64_t bytes = 0;  ///< of the value; 0: the address
  std::uint64_t added = 0;  ///< to the address
};

struct Cubin {
  std::map<std::string, Kernel> kernels;             ///< by symbol
  std::map<unsigned, std::vector<std::byte>> banks;  ///< that all kernels share
  std::vector<VariablePlace> variables;
  std::vector<std::string> files;
};

/// Null if the file is not there, or is no cubin that this knows.
std::unique_ptr<Cubin> read_cubin(const std::string& path);

}  // namespace kata::emulator::machine

#pragma once
// From code addresses to lines of the candidate.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

struct SourceLine {
  std::string file = {};
  int line = 0;

  bool operator==(const SourceLine&) const = default;
};

/// The folder that holds libraries rewritten for candidates, as CUB and Thrust.
inline constexpr const char* rewritten_libraries = "kata-libraries";

/// The candidate's line of a place: the first frame outside the emulator's own headers and outside
/// rewritten libraries; the library's line where the candidate has none.
SourceLine source_line(const Place& place);
/// The candidate's line that has called the function of that line: the outermost of the functions
/// that were inlined into one another there. No line: it is unknown, or there is none.
SourceLine caller_line(const Place& place);

/// "cub/block/block_scan.cuh" of a rewritten library's file; empty of any other.
std::string path_in_library(const std::string& file);

/// The candidate's code that has called a rewritten library, whose code calls this function, at any
/// depth; null where no library is on the stack. Slow.
const void* caller_of_library();

/// What lies at an address, by the symbol tables of all loaded files.
struct Symbol {
  std::string name = {};  ///< readable; empty: unknown
  std::uintptr_t address = 0;
};
Symbol symbol_at(std::uintptr_t address);

/// "softmax_kernel" of the address of a function; empty if unknown.
std::string function_name(const void* function);

struct AddressRange {
  std::uintptr_t low = 0, high = 0;
  bool contains(std::uintptr_t address) const { return address - low < high - low; }
};

/// All that was loaded from the file that holds this code; of it what can be written.
AddressRange module_of(const void* code);
AddressRange variables_of(const void* code);

/// Where the variables of that file lie that kernels can reach, as far as its file says so.
struct VariablePlaces {
  std::vector<AddressRange> constants;  ///< sections of __constant__ variables (qualifiers.h)
  std::vector<AddressRange> sections;   ///< those and others, with a gap behind each variable
  std::vector<AddressRange> variables;  ///< by their addresses
};
VariablePlaces variable_places_of(const void* code);

/// The addresses within `range` that variables of loaded modules hold, in ascending order: memory
/// that is kept in a static. Variables of this program itself are not searched.
std::vector<std::uintptr_t> held_by_variables(AddressRange range);

/// Whether this code belongs to another file than this program: to a loaded module.
bool in_loaded_module(const void* code);

}  // namespace kata::emulator

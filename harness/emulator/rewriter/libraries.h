#pragma once
// Libraries and headers of CUDA that the emulator does not have, or not by itself.

#include <string_view>

namespace kata::emulator {

struct Library {
  std::string_view header;  ///< what the names of its headers begin with
  std::string_view name;
  std::string_view use;  ///< its namespace, or with * what its names begin with; empty: neither
  std::string_view package = {};  ///< Debian's, with which it runs; empty: it does not run
};

/// The one that a header belongs to; null: the emulator has it, or it is no header of CUDA's.
const Library* library_of_header(std::string_view header);

/// The one that an undeclared name belongs to; null: none.
const Library* library_of_name(std::string_view name);

}  // namespace kata::emulator

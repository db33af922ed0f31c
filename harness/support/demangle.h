#pragma once
#include <string>

namespace kata {

/// The readable form of a symbol: "void sum<4>(float const*, int)"; a name that is not mangled
/// stays as it is.
std::string demangled(const std::string& symbol);

}  // namespace kata

#include "support/demangle.h"

#include <cxxabi.h>

#include <cstdlib>

namespace kata {

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "a" would be the type of signed characters
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string result = status == 0 ? text : symbol;
  std::free(text);
  return result;
}

}  // namespace kata

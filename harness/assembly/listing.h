#pragma once
// What nvcc (PTX) and nvdisasm (SASS) print, read.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assembly/instruction.h"

namespace kata::assembly {

/// A kernel, or a device function that was not inlined.
struct Function {
  std::string symbol;
  std::vector<Instruction> instructions;
};

/// Which of the person's files that path is; nothing for any other, such as a header of CUDA. An
/// inlined function's code belongs to the innermost line in a file of the person's.
using OwnFile = std::function<std::optional<std::size_t>(const std::string& path)>;

/// From PTX with line information.
std::vector<Function> functions_from_ptx(const std::string& text, const OwnFile& own);

/// From what `nvdisasm -c -gi` prints. The padding behind a function is left out.
std::vector<Function> functions_from_sass(const std::string& text, const OwnFile& own);

}  // namespace kata::assembly

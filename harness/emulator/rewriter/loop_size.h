#pragma once
// How large nvcc takes a loop for, which decides how often it unrolls it.

#include <map>
#include <string>
#include <vector>

#include "emulator/rewriter/statements.h"

namespace kata::emulator {

struct Function {
  FunctionBody body;
  Names variables, parameters;
  Names no_constants;  ///< what has no value at compile time there: parameters, variables, indices
};
/// The functions of a file.
struct Functions {
  std::vector<Function> all;
  std::map<std::string, std::size_t, std::less<>> by_name;  ///< of overloads, the last
};
Functions functions_of(const Tokens& tokens, const std::vector<FunctionBody>& bodies);

/// A function that the device runs, and not the compiler.
struct FunctionOnDevice {
  const Function& function;
  bool is_kernel;
  Names variables;  ///< not the same in all threads of a block
  Names shared;     ///< arrays, variables and pointers that are, or may be, in shared memory
};
/// Of all functions those; they refer to these.
std::vector<FunctionOnDevice> functions_on_device(const Tokens& tokens, const Functions& functions);

/// In LLVM's instructions. The innermost loop's body, of `function`; it may call functions.
unsigned size_of_body(const Tokens& tokens, const Range& body, const Function& function,
                      const Functions& functions);

/// How many copies of a body of that size nvcc makes: 4, 2 or 1.
unsigned unrolled_copies(unsigned size);

/// The functions of CUDA in the table of sizes.
std::vector<std::string> functions_of_known_size();

}  // namespace kata::emulator

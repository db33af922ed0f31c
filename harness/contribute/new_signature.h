#pragma once
// A signature as a person types it.

#include <string>
#include <vector>

#include "support/result.h"

namespace kata::contribute {

struct NewParameter {
  enum class Kind { input, output, size, integer, real };  ///< a size is a dimension of tensors
  Kind kind;
  std::string name;
  std::string cuda_type = {};  ///< of the element or the scalar: "__half"
  std::string host_type = {};  ///< the same in a problem file: "Half"
};

/// `text` is "void f(const float* x, float* y, int n)", where f is `name`, or only the parameters.
/// `scalars` names those of its int parameters that are no sizes.
Result<std::vector<NewParameter>> parse_signature(const std::string& name, const std::string& text,
                                                  const std::vector<std::string>& scalars);

/// "const float* x, float* y, int n"
std::string parameter_list(const std::vector<NewParameter>& parameters);

}  // namespace kata::contribute

#pragma once
// What a kernel calls the buffers that the judge names by the operator's parameters.

#include <string>
#include <vector>

#include "report/finding.h"

namespace kata {

/// Adds to each finding about a buffer what its kernel calls it, if the entry function passes it
/// as a parameter of another name.
void add_parameter_names(const std::string& source, const std::string& entry,
                         std::vector<Finding>& findings);

}  // namespace kata

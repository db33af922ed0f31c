#pragma once
// The faults of an operator as files that a person or a tool can judge.

#include <filesystem>
#include <vector>

#include "faults/fault.h"

namespace kata::contribute {

/// Each faulty kernel as <name>.cu, in a folder of its own below `folder`.
Result<std::vector<std::filesystem::path>> write_faults(const std::vector<faults::Fault>& all,
                                                        const std::filesystem::path& folder);

}  // namespace kata::contribute

#pragma once
// The operators, and where a person stands with each.

#include <string>

namespace kata::cli {

/// One line each, with a head, in 80 columns.
std::string list_text(bool color);

}  // namespace kata::cli

#pragma once
// Findings in the form that compilers use and editors can jump to.

#include <string>
#include <vector>

#include "report/finding.h"

namespace kata {

/// Sets the column of every finding that has a line: where that line names the finding's object,
/// preferably with a subscript, else its only array, else where its code begins.
void add_columns(std::vector<Finding>& findings);

/// The same for a finding whose object has this name in its line.
void point_at(const std::string& name, Finding& finding);

/// "x.cu:5:12: error: race: what happened [kernel]", the source line with a caret, and a line
/// "note: ...". `wrapped`: broken at words in 80 columns, else one line each.
std::string diagnostic(const Finding& finding, bool color, bool wrapped);

/// A compiler's words, in which a source line that is wider than the screen is cut on both sides,
/// so that the caret below it stays below its place.
std::string with_narrow_excerpts(const std::string& words);

}  // namespace kata

#pragma once
// The Markdown of an exercise's README as a terminal of 80 columns shows it.

#include <string>

namespace kata::cli {

/// Paragraphs and list items are broken into new lines; code (four spaces before it, or between
/// ```) and tables stay as they are.
std::string prose(const std::string& markdown, std::size_t indent);

}  // namespace kata::cli

#pragma once
// Markdown, cut at its headings.

#include <string>
#include <vector>

namespace kata {

/// A heading and the text below it, up to the next heading of its level.
struct Section {
  std::string title;
  std::string body;
  int line = 0;  ///< of the heading
};

/// Cut at the lines that start with `mark` ("## "), outside of code; the part before the first has
/// no title. Lines with <details> or </details> are left out.
std::vector<Section> sections_of(const std::string& text, const std::string& mark);

}  // namespace kata

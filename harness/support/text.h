#pragma once
// Words and lines.

#include <string>
#include <string_view>
#include <vector>

namespace kata {

/// Without the white space around it.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// "a,,b" -> "a", "", "b"; behind a separator at the end is nothing more.
std::vector<std::string> split(std::string_view text, char separator);

/// Without the new lines that end them.
std::vector<std::string> lines_of(std::string_view text);

/// "a", "a and b", "a, b and c"; of at least one.
std::string listed(std::vector<std::string> names);

std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace kata

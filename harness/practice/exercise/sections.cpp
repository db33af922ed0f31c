#include "practice/exercise/sections.h"

#include "support/text.h"

namespace kata {

std::vector<Section> sections_of(const std::string& text, const std::string& mark) {
  std::vector<Section> sections(1);
  bool in_code = false;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    in_code ^= line.starts_with("```");
    if (!in_code && line.starts_with(mark)) {
      sections.push_back({.title = line.substr(mark.size()), .body = {}, .line = number});
    } else if (!line.starts_with("<details>") && !line.starts_with("</details>")) {
      sections.back().body += line + "\n";
    }
  }
  for (Section& section : sections) {
    const std::size_t begin = section.body.find_first_not_of('\n');  // blanks may indent code
    section.body = begin == std::string::npos ? "" : section.body.substr(begin);
    section.body.resize(section.body.find_last_not_of(" \n") + 1);
  }
  return sections;
}

}  // namespace kata

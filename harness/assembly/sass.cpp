// SASS, as nvdisasm prints it: NVIDIA, "CUDA Binary Utilities".
#include <string_view>

#include "assembly/listing.h"
#include "support/text.h"

namespace kata::assembly {
namespace {

/// `//## File "/path/x.h", line 25 inlined at "/path/x.cu", line 39`: path and line of the first.
std::optional<Place> place_from(std::string_view comment, const OwnFile& own) {
  const std::size_t first = comment.find('"'), last = comment.find('"', first + 1);
  constexpr std::string_view mark = ", line ";
  if (last == std::string_view::npos || !comment.substr(last + 1).starts_with(mark)) return {};
  const std::optional<std::size_t> file =
      own(std::string(comment.substr(first + 1, last - first - 1)));
  if (!file) return {};
  return Place{*file, std::atoi(std::string(comment.substr(last + 1 + mark.size())).c_str())};
}

/// `/*0040*/  @P0 EXIT ;` -> "@P0 EXIT"
std::optional<Instruction> sass_instruction(std::string_view line) {
  if (!line.starts_with("/*")) return {};
  const std::size_t begin = line.find("*/"), end = line.find(';');
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  const std::string_view text = trimmed(line.substr(begin + 2, end - begin - 2));
  if (text.empty()) return {};
  Instruction one;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    one.text += (one.text.empty() ? "" : " ") + word;
    if (one.opcode.empty() && word[0] != '@') one.opcode = word;
  }
  one.pipe = pipe_of_sass(one.opcode);
  return one;
}

}  // namespace

std::vector<Function> functions_from_sass(const std::string& text, const OwnFile& own) {
  constexpr std::string_view section = ".text.";
  std::vector<Function> functions;
  Place place;
  bool in_comments = false;  // the frames of one place: the innermost first
  for (const std::string& whole : lines_of(text)) {
    const std::string_view line = trimmed(whole);
    if (line.starts_with(section) && line.ends_with(':')) {
      functions.push_back(
          {std::string(line.substr(section.size(), line.size() - section.size() - 1)), {}});
      place = {};
    } else if (line.starts_with("//## File")) {
      if (!in_comments) place = {};
      in_comments = true;
      if (place.line == 0) place = place_from(line, own).value_or(Place{});
    } else if (auto one = sass_instruction(line); one && !functions.empty()) {
      in_comments = false;
      one->place = place;
      functions.back().instructions.push_back(std::move(*one));
    }
  }
  for (Function& function : functions) {
    auto& all = function.instructions;
    while (!all.empty() && all.back().opcode == "NOP") all.pop_back();
  }
  return functions;
}

}  // namespace kata::assembly

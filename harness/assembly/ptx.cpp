// PTX: NVIDIA, "Parallel Thread Execution ISA".
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "assembly/listing.h"
#include "support/text.h"

namespace kata::assembly {
namespace {

using Location = std::pair<int, int>;  ///< file and line, by PTX's own numbers

constexpr std::string_view name_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";

/// The numbers and words of a directive: blanks and commas separate them.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t,", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t,", at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

int number_of(const std::string& word) {
  return std::atoi(word.c_str());
}

/// `.file 2 "/path/x.h"`: they stand behind the code that refers to them.
std::map<int, std::string> files_of(const std::vector<std::string>& lines) {
  std::map<int, std::string> files;
  for (const std::string& line : lines) {
    const std::string_view text = trimmed(line);
    if (!text.starts_with(".file")) continue;
    const std::size_t first = text.find('"'), last = text.rfind('"');
    if (last <= first) continue;
    files[number_of(words_of(text).at(1))] = text.substr(first + 1, last - first - 1);
  }
  return files;
}

/// Follows the `.loc` directives of a function.
class Locator {
 public:
  Locator(const std::map<int, std::string>& files, const OwnFile& own) {
    for (const auto& [number, path] : files) own_[number] = own(path);
  }

  /// `.loc 2 25 3, function_name $L__info_string1, inlined_at 1 39 5`
  void read(std::string_view directive) {
    const std::vector<std::string> words = words_of(directive);
    if (words.size() < 3) return;
    now_ = {number_of(words[1]), number_of(words[2])};
    const auto inlined = std::find(words.begin(), words.end(), "inlined_at");
    if (words.end() - inlined > 2)
      callers_[now_] = {number_of(inlined[1]), number_of(inlined[2])};
    else
      callers_.erase(now_);
  }

  Place place() const {
    constexpr int deepest = 32;
    Location at = now_;
    for (int depth = 0; depth < deepest; ++depth) {
      const auto own = own_.find(at.first);
      if (own != own_.end() && own->second) return {*own->second, at.second};
      const auto caller = callers_.find(at);
      if (caller == callers_.end()) return {};
      at = caller->second;
    }
    return {};
  }

 private:
  std::map<int, std::optional<std::size_t>> own_;
  std::map<Location, Location> callers_;
  Location now_{};
};

/// Without what may stand before it: braces of a scope, a label.
std::string_view without_scope(std::string_view statement) {
  for (;;) {
    statement = trimmed(statement);
    if (statement.starts_with('{') || statement.starts_with('}')) {
      statement.remove_prefix(1);
      continue;
    }
    const std::size_t name = statement.find_first_not_of(name_letters);
    const bool label = name != 0 && name != std::string_view::npos && statement[name] == ':' &&
                       !statement.substr(name).starts_with("::");
    if (!label) return statement;
    statement.remove_prefix(name + 1);
  }
}

std::optional<Instruction> ptx_instruction(std::string_view statement) {
  statement = without_scope(statement);
  if (statement.empty() || statement[0] == '.') return {};
  Instruction one;
  bool blank = false;  // blanks of any width become one
  for (const char c : statement) {
    const bool is_blank = c == ' ' || c == '\t';
    if (blank && !is_blank) one.text += ' ';
    if (!is_blank) one.text += c;
    blank = is_blank;
  }
  const std::size_t begin = one.text[0] == '@' ? one.text.find(' ') + 1 : 0;
  one.opcode = one.text.substr(begin, one.text.find(' ', begin) - begin);
  one.pipe = pipe_of_ptx(one.opcode);
  return one;
}

/// The name behind `.entry` or `.func`, or nothing: `.func (.param .b32 r) name(`
std::optional<std::string> function_name(std::string_view line) {
  for (const std::string_view word : {".entry", ".func"}) {
    std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    at = line.find_first_not_of(" \t", at + word.size());
    if (at != std::string_view::npos && line[at] == '(')
      at = line.find_first_not_of(" \t", std::min(line.find(')', at), line.size() - 1) + 1);
    if (at == std::string_view::npos) return {};
    const std::size_t end = std::min(line.find_first_not_of(name_letters, at), line.size());
    return std::string(line.substr(at, end - at));
  }
  return {};
}

}  // namespace

std::vector<Function> functions_from_ptx(const std::string& text, const OwnFile& own) {
  const std::vector<std::string> lines = lines_of(text);
  const std::map<int, std::string> files = files_of(lines);
  std::vector<Function> functions;
  Locator locator(files, own);
  std::string pending;  // of a statement, or of what stands outside of functions
  int depth = 0;
  bool in_function = false;
  const auto add = [&](std::string_view statement) {
    auto one = in_function ? ptx_instruction(statement) : std::nullopt;
    if (!one) return;
    one->place = locator.place();
    functions.back().instructions.push_back(std::move(*one));
  };
  for (const std::string& whole : lines) {
    const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find("//")));
    if (line.starts_with(".loc")) locator.read(line);
    if (line.empty() || line.starts_with(".loc")) continue;
    if (depth == 0 && line.ends_with('{')) {
      const auto name = function_name(pending + std::string(line));
      in_function = name.has_value();
      if (name) functions.push_back({*name, {}});
      pending.clear();
    } else {
      pending += " " + std::string(line);
    }
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{') -
                              std::count(line.begin(), line.end(), '}'));
    for (std::size_t end; (end = pending.find(';')) != std::string::npos;) {
      add(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
    if (depth == 0 && line.ends_with('}')) {
      in_function = false;
      pending.clear();
    }
  }
  return functions;
}

}  // namespace kata::assembly

#include "compile/diagnostics.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// A diagnostic: its first line, and the excerpt below it.
struct Block {
  std::string head;
  std::string rest;
  std::string file;  ///< empty where the head names no place
  int line = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// Whether a line starts a diagnostic; what does not is an excerpt: "   31 |   code", "      |
/// ^~~", clang's and nvcc's bare source lines and carets.
bool is_head(const std::string& line) {
  static const std::regex head(R"(^(\S[^:(]*[:(]\d+|\S+: (In|At|error|fatal)|In file included|)"
                               R"( +from |\d+ errors?|cc1plus:|compilation |fatal error:))");
  return std::regex_search(line, head);
}

std::vector<Block> blocks(const std::string& output) {
  static const std::regex place(R"(^([^:(]+)[:(](\d+)[:)])");
  std::vector<Block> result;
  for (const std::string& line : lines_of(output)) {
    if (!result.empty() && !is_head(line)) {
      result.back().rest += line + '\n';
      continue;
    }
    result.push_back({.head = line, .rest = {}, .file = {}});
    std::smatch match;
    if (std::regex_search(line, match, place)) {
      result.back().file = match[1].str();
      result.back().line = std::stoi(match[2].str());
    }
  }
  return result;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool is_error(const Block& block) {
  return has(block.head, ": error") || has(block.head, "fatal error: ");
}

/// Whether a block only tells how the compiler went through what the emulator added.
bool is_about_the_emulator(const Block& block) {
  if (is_error(block)) return false;
  static const std::regex summary(R"(^\d+ (errors?|warnings?)[^:]* generated)");
  if (std::regex_search(block.head, summary)) return true;
  for (std::string_view part : {"__kata", "kata_emulator/", "harness/emulator/include",
                                "precompiled/", "In lambda function"}) {
    if (has(block.head, part)) return true;
  }
  return false;
}

/// What the person wrote at a place where the compiler read something else.
class Originals {
 public:
  Originals(const std::vector<SourceFile>& sources, const std::vector<RewrittenFile>& rewritten) {
    for (std::size_t i = 0; i < rewritten.size(); ++i) {
      const std::string& text = rewritten[i].text;
      const std::size_t begin = text.find('\n', text.find("#line 1 ")) + 1;  // behind our prelude
      files_.push_back(
          {sources[i].path.string(), lines_of(sources[i].text), lines_of(text.substr(begin))});
    }
  }

  const std::string* at(const std::string& path, int line) const {
    for (const File& file : files_) {
      const std::size_t i = static_cast<std::size_t>(line) - 1;
      if (file.path != path || i >= file.written.size() || i >= file.read.size()) continue;
      return file.written[i] != file.read[i] ? &file.written[i] : nullptr;
    }
    return nullptr;
  }

 private:
  struct File {
    std::string path;
    std::vector<std::string> written, read;
  };
  std::vector<File> files_;
};

/// What a wrong launch configuration is called in terms of our headers' types.
void explain_launch(Block& block) {
  static const std::regex no_match(R"(error: no match.*Kernel<.*)");
  block.head = std::regex_replace(block.head, no_match,
                                  "error: a launch configuration is <<<grid, block>>>, then shared "
                                  "bytes and a stream if need be");
}

/// Shows the person's own line, and no column, for columns have moved there.
void restore(Block& block, const std::string& original) {
  static const std::regex column(R"(^([^:(]+:\d+):\d+:)");
  block.head = std::regex_replace(block.head, column, "$1:");
  const std::string number = std::to_string(block.line);
  block.rest = std::string(5 - std::min<std::size_t>(5, number.size()), ' ') + number + " | " +
               original + "\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

/// What the emulator does not have, from an error that says so; else empty.
std::string what_is_missing(const std::string& head) {
  static const std::regex lacking(R"(error: (?:#error )?(.* does not run on the emulator.*))");
  static const std::regex unknown(
      R"((cuda[A-Z]\w*|cu[A-Z]\w*|nvcuda|cublas\w*|curand\w*|__[a-z]\w*)[^ ]* )"
      R"((was not declared|has not been declared|does not name a type|is not a member)|)"
      R"((?:undeclared identifier|unknown type name) '(cuda[A-Z]\w*|cu[A-Z]\w*|nvcuda|__[a-z]\w*)')");
  std::smatch match;
  if (std::regex_search(head, match, lacking)) return match[1].str();
  if (!std::regex_search(head, match, unknown)) return {};
  return "the emulator does not know " + (match[1].matched ? match[1] : match[3]).str() +
         ": check its spelling, or use a GPU";
}

std::string place_of(const Block& block) {
  return block.file.empty() ? "" : shown(block.file) + ":" + std::to_string(block.line);
}

std::string count_of(int errors) {
  return errors == 1 ? "1 error" : std::to_string(errors) + " errors";
}

/// Full paths of the person's files become short ones.
std::string with_short_paths(std::string text, const std::vector<SourceFile>& sources) {
  for (const SourceFile& source : sources) {
    text = replaced(text, source.path.string(), shown(source.path));
  }
  return text;
}

}  // namespace

Error compile_error(const fs::path& unit, const std::vector<SourceFile>& sources,
                    const std::vector<RewrittenFile>& rewritten, const std::string& compiler,
                    const std::string& output) {
  const Originals originals(sources, rewritten);
  Error error;
  int errors = 0;
  std::string first, missing;
  std::string lacking;  // the includes that say so: all other errors follow from them
  std::set<std::string> seen;
  for (Block block : blocks(output)) {
    if (is_about_the_emulator(block)) continue;
    if (const std::string* original = originals.at(block.file, block.line)) {
      if (has(block.head, "required from here")) continue;
      restore(block, *original);
      explain_launch(block);
      if (!seen.insert(block.head).second) continue;  // one launch is compiled in several ways
    }
    error.detail += block.head + '\n' + block.rest;
    if (!is_error(block)) continue;
    if (++errors == 1) first = place_of(block);
    if (has(block.head, " does not run on the emulator")) {
      lacking += block.head + '\n' + block.rest;
      if (error.unsupported_line == 0) {
        error.unsupported_file = shown(block.file);
        error.unsupported_line = block.line;
      }
    }
    if (const std::string what = missing.empty() ? what_is_missing(block.head) : "";
        !what.empty()) {
      missing = place_of(block) + ": " + what;
    }
  }
  error.detail = with_short_paths(lacking.empty() ? error.detail : lacking, sources);
  if (!missing.empty()) {
    error.message = missing;
  } else {
    error.message = shown(unit) + " does not compile (" + compiler + ", " + count_of(errors) + ")" +
                    (first.empty() ? "" : ": begin at " + first);
  }
  return error;
}

}  // namespace kata

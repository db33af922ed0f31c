#include "compile/diagnostics.h"

#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// A diagnostic: its first line, and the excerpt below it.
struct Block {
  std::string head;
  std::string rest;
};

bool is_excerpt(const std::string& line) {
  // "   31 |   code", "      |   ^~~", clang's bare source lines and carets, nvcc's too
  static const std::regex head(R"(^(\S[^:(]*[:(]\d+|\S+: (In|At|error|fatal)|In file included|)"
                               R"(                 from|\d+ errors?|cc1plus:|compilation ).*)");
  return !std::regex_search(line, head);
}

std::vector<Block> blocks(const std::string& output) {
  std::vector<Block> result;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (result.empty() || !is_excerpt(line)) {
      result.push_back({line, ""});
    } else {
      result.back().rest += line + '\n';
    }
  }
  return result;
}

bool is_error(const Block& block) {
  return block.head.find(" error: ") != std::string::npos ||
         block.head.find(": error") != std::string::npos;
}

/// Whether a block only tells how the compiler went through the emulator's headers.
bool is_about_our_headers(const Block& block) {
  if (is_error(block)) return false;
  return block.head.find("__kata") != std::string::npos ||
         block.head.find("kata_emulator/") != std::string::npos ||
         block.head.find("harness/emulator/include") != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

/// "softmax.cu:31" from "softmax.cu:31:5: error: ..." or nvcc's "softmax.cu(31): error: ..."
std::string position(const std::string& head) {
  std::smatch match;
  if (!std::regex_search(head, match, std::regex(R"(^([^:(]+)[:(](\d+)[:)])"))) return {};
  return shown(match[1].str()) + ":" + match[2].str();
}

/// What the emulator does not have, from an error that says so; else empty.
std::string what_is_missing(const std::string& head) {
  std::smatch match;
  if (std::regex_search(head, match,
                        std::regex(R"(error: (?:#error )?(.* does not run on the emulator.*))"))) {
    return match[1].str();
  }
  static const std::regex unknown(
      "[\u2018'\"]?(cuda[A-Z]\\w*|cu[A-Z]\\w*|nvcuda|cublas\\w*|curand\\w*|__nv\\w*|tex[123]D\\w*|"
      "surf[123]D\\w*|__[a-z]\\w*)[^ ]* (was not declared|has not been declared|"
      "does not name a type|is not a member)|"
      "undeclared identifier '(cuda[A-Z]\\w*|cu[A-Z]\\w*|nvcuda|__[a-z]\\w*)'|"
      "unknown type name '(cuda[A-Z]\\w*|cu[A-Z]\\w*)'");
  if (!std::regex_search(head, match, unknown)) return {};
  for (int group : {1, 3, 4}) {
    if (match[group].matched) {
      return "the emulator does not know " + match[group].str() +
             ": check its spelling, or use a GPU";
    }
  }
  return {};
}

}  // namespace

Error compile_error(const fs::path& source, const std::string& compiler,
                    const std::string& output) {
  Error error;
  int errors = 0;
  std::string first, missing;
  for (const Block& block : blocks(output)) {
    if (is_about_our_headers(block)) continue;
    error.detail += block.head + '\n' + block.rest;
    if (!is_error(block)) continue;
    ++errors;
    if (errors == 1) first = position(block.head);
    if (const std::string what = missing.empty() ? what_is_missing(block.head) : "";
        !what.empty()) {
      missing = position(block.head) + ": " + what;
    }
  }
  const std::string folder = source.parent_path().string() + "/";
  error.detail = replaced(error.detail, source.string(), shown(source));
  error.detail = replaced(error.detail, folder, replaced(shown(source), source.filename(), ""));
  if (!missing.empty()) {
    error.message = missing;
  } else {
    error.message = shown(source) + " does not compile (" + compiler + ", " +
                    (errors == 1 ? "1 error" : std::to_string(errors) + " errors") + ")";
    if (!first.empty()) error.message += ": begin at " + first;
  }
  return error;
}

}  // namespace kata

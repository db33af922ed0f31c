#include "compile/diagnostics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "compile/library_headers.h"
#include "emulator/lexer/lexer.h"
#include "emulator/rewriter/libraries.h"
#include "support/nearest.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// A diagnostic: its first line, and the excerpt below it.
struct Block {
  std::string head;
  std::string rest;
  std::string file;  ///< empty where the head names no place
  int line = 0;
  std::size_t column = 0;  ///< from 1; 0 where the head has none
};

/// Whether a line starts a diagnostic; what does not is an excerpt: "   31 |   code", "      |
/// ^~~", clang's and nvcc's bare source lines and carets.
bool is_head(const std::string& line) {
  static const std::regex head(R"(^(\S[^:(]*[:(]\d+|\S+: (In|At|error|fatal)|In file included|)"
                               R"( +from |\d+ errors?|cc1plus:|compilation |fatal error:))");
  return std::regex_search(line, head);
}

std::vector<Block> blocks(const std::string& output) {
  static const std::regex place(R"(^([^:(]+)[:(](\d+)[:)](\d+)?)");
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
      if (match[3].matched) result.back().column = std::stoul(match[3].str());
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

/// Whether a block is a note about code that the emulator added.
bool is_about_the_emulator(const Block& block) {
  if (is_error(block)) return false;
  static const std::regex summary(R"(^\d+ (errors?|warnings?)[^:]* generated)");
  if (std::regex_search(block.head, summary)) return true;
  for (std::string_view part : {"__kata", "kata_emulator/", "harness/emulator/include",
                                "precompiled/", "In lambda function", "<stdin>"}) {
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

  struct Line {
    std::string written, read;
  };

  std::optional<Line> at(const std::string& path, int line) const {
    for (const File& file : files_) {
      const std::size_t i = static_cast<std::size_t>(line) - 1;
      if (file.path != path || i >= file.written.size() || i >= file.read.size()) continue;
      if (file.written[i] == file.read[i]) return {};
      return Line{file.written[i], file.read[i]};
    }
    return {};
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

/// A __shared__ array whose size only a run knows.
void explain_shared_size(Block& block) {
  static const std::regex not_constant(
      R"(error: (.*variable.*does not have a constant initializer|no match.*padding_of<.*))");
  block.head = std::regex_replace(
      block.head, not_constant,
      "error: the size of a __shared__ array is a constant; for one that is known at run time "
      "declare it `extern __shared__` without a size, and give its bytes at the launch");
}

/// Moves a diagnostic to a place in the person's file, and shows that line with a caret.
void place_at(Block& block, int line, std::size_t column, std::string code) {
  static const std::regex place(R"(^[^:(]+(:\d+(:\d+)?|\(\d+\)): )");
  block.line = line;
  block.column = column;
  block.head = block.file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
               std::regex_replace(block.head, place, "");
  std::replace(code.begin(), code.end(), '\t', ' ');
  const std::string number = std::to_string(line);
  block.rest = std::string(5 - std::min<std::size_t>(5, number.size()), ' ') + number + " | " +
               code + "\n      | " + std::string(column - 1, ' ') + "^\n";
}

/// From 1: where a line's code begins.
std::size_t first_column(const std::string& line) {
  return std::min(line.find_first_not_of(" \t"), line.size()) + 1;
}

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// From 1: where a word is in a line; 0 if it is not there.
std::size_t column_of(const std::string& word, const std::string& line) {
  for (std::size_t at = 0; !word.empty() && (at = line.find(word, at)) != std::string::npos; ++at) {
    const bool starts = at == 0 || !is_word(line[at - 1]);
    const std::size_t after = at + word.size();
    if (starts && (after == line.size() || !is_word(line[after]))) return at + 1;
  }
  return 0;
}

std::string word_at(const std::string& line, std::size_t column) {
  if (column == 0 || column > line.size()) return {};
  const auto begin = line.begin() + static_cast<std::ptrdiff_t>(column) - 1;
  return {begin, std::find_if_not(begin, line.end(), is_word)};
}

/// Where the word that the compiler points at is in the line as the person wrote it; where the code
/// begins if it is not there.
std::size_t written_column(const Originals::Line& line, std::size_t column) {
  const std::size_t found = column_of(word_at(line.read, column), line.written);
  return found != 0 ? found : first_column(line.written);
}

/// nvcc's "x.cu(5): error: ..." becomes "x.cu:5:7: error: ...". The line above its caret may be
/// another than the person's: __global__ and other macros are longer there.
void use_common_form(Block& block, const std::string& code) {
  static const std::regex nvcc(R"(^[^:(]+\(\d+\): )");
  static const std::regex quoted(R"re("(\w+)")re");
  if (!std::regex_search(block.head, nvcc)) return;
  const std::vector<std::string> rest = lines_of(block.rest);
  std::size_t column = 0;
  if (rest.size() > 1) column = column_of(word_at(rest[0], rest[1].find('^') + 1), code);
  std::smatch name;
  if (column == 0 && std::regex_search(block.head, name, quoted))
    column = column_of(name[1].str(), code);
  place_at(block, block.line, column == 0 ? first_column(code) : column, code);
}

/// A semicolon is missing behind the code before the place where the compiler noticed it.
void point_at_missing_semicolon(Block& block, const SourceFile& source) {
  static const std::regex missing(R"(error: expected .*;.* before |error: expected a ";")");
  if (block.column == 0 || !std::regex_search(block.head, missing)) return;
  int line = 1, last_line = 0;
  std::size_t column = 1, last_column = 0;
  for (const emulator::Token& token : emulator::lex(source.text)) {
    if (line > block.line || (line == block.line && column >= block.column)) break;
    for (const char letter : token.text) {
      line += letter == '\n';
      column = letter == '\n' ? 1 : column + 1;
    }
    const bool is_code = token.kind != emulator::TokenKind::space && !token.text.empty();
    if (!is_code) continue;
    last_line = line;
    last_column = column;
  }
  if (last_line == 0 || last_line == block.line) return;
  place_at(block, last_line, last_column,
           lines_of(source.text)[static_cast<std::size_t>(last_line) - 1]);
}

/// A brace is missing for the one that the note below the error names: the place to look at, and
/// the cause of the errors before it.
void point_at_open_brace(std::vector<Block>& blocks) {
  static const std::regex at_end(R"(error: expected .\S* at end of input)");
  static const std::regex note("note: to match this");
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    Block& open = blocks[i + 1];
    if (!std::regex_search(blocks[i].head, at_end) || !std::regex_search(open.head, note)) continue;
    open.head = std::regex_replace(open.head, note, "error: nothing closes this");
    std::rotate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                blocks.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

/// A library that the emulator does not have, from an error that shows its use; else empty.
std::string what_does_not_run(const std::string& head) {
  static const std::regex lacking(R"(error: (?:#error )?(.* does not run on the emulator.*))");
  static const std::regex undeclared(
      R"((?:‘|')(\w+)[^ ]* (?:was not declared|has not been declared|does not name a type|)"
      R"(is not a namespace-name)|(?:undeclared identifier|unknown type name) '(\w+)')");
  std::smatch match;
  if (std::regex_search(head, match, lacking)) return match[1].str();
  if (!std::regex_search(head, match, undeclared)) return {};
  const std::string name = (match[1].matched ? match[1] : match[2]).str();
  if (name.starts_with("curand_") || name.starts_with("curandState"))
    return name + " needs cuRAND's headers, which the CUDA Toolkit has: install it, or use a GPU";
  const emulator::Library* library = emulator::library_of_name(name);
  if (!library) return {};
  const std::string lacks = std::string(library->name) + " does not run on the emulator";
  if (library->package.empty()) return lacks + ": write that part as a kernel, or use a GPU";
  if (is_installed(library->package)) return {};
  return lacks + " without " + std::string(library->package) + ": apt-get install them";
}

bool is_of_driver_api(const std::string& name) {
  static const std::regex names(
      "cu(Array|Ctx|Device|Driver|Event|Func|Get|Graph|Init|Kernel|Launch|Library|Link|Mem|Module|"
      "Occupancy|Pointer|Stream|Surf|Tex)\\w*|"
      "CU(array|context|device|event|func|graph|jit|kernel|launch|lib|link|mem|module|stream|tex)"
      "\\w*");
  return std::regex_match(name, names);
}

/// Of what nearly every kernel calls, the name that was meant; empty if none is near. The compiler
/// itself does not say so of macros.
std::string mistyped_from(const std::string& name) {
  static const std::array common = {"__syncthreads",
                                    "__syncwarp",
                                    "__shfl_sync",
                                    "__shfl_up_sync",
                                    "__shfl_down_sync",
                                    "__shfl_xor_sync",
                                    "__ballot_sync",
                                    "__any_sync",
                                    "__all_sync",
                                    "__activemask",
                                    "__threadfence",
                                    "__ldg",
                                    "__popc",
                                    "__ffs",
                                    "__clz",
                                    "__float2half",
                                    "__half2float",
                                    "__float_as_int",
                                    "__int_as_float",
                                    "cudaMalloc",
                                    "cudaFree",
                                    "cudaMemcpy",
                                    "cudaMemset",
                                    "cudaMemcpyAsync",
                                    "cudaMemsetAsync",
                                    "cudaGetLastError",
                                    "cudaDeviceSynchronize",
                                    "cudaFuncSetAttribute"};
  constexpr std::size_t letters = 2;
  for (const std::string one : common)
    if (one.starts_with(name) || edit_distance(name, one) <= letters) return one;
  return {};
}

/// What the emulator does not have, from an error that says so; else empty.
std::string what_is_missing(const std::string& head) {
  static const std::regex unknown(
      R"((cuda[A-Z]\w*|cu[A-Z]\w*|CU[a-z]\w*|nvcuda|cublas\w*|curand\w*|__[a-z]\w*)[^ ]* )"
      R"((was not declared|has not been declared|does not name a type|is not a member)|)"
      R"((?:undeclared identifier|unknown type name) '(cuda[A-Z]\w*|cu[A-Z]\w*|CU[a-z]\w*|nvcuda|__[a-z]\w*)')");
  std::smatch match;
  if (std::string library = what_does_not_run(head); !library.empty()) return library;
  if (!std::regex_search(head, match, unknown)) return {};
  if (match.str().starts_with("__kata")) return {};  // what it was made from is unknown itself
  const std::string name = (match[1].matched ? match[1] : match[3]).str();
  if (const std::string meant = mistyped_from(name); !meant.empty())
    return "there is no " + name + ": did you mean " + meant + "?";
  if (is_of_driver_api(name)) {
    return "the driver API's " + name +
           " does not run on the emulator: use the runtime API (cudaMalloc, <<<...>>>), or a GPU";
  }
  return "the emulator does not know " + name + ": check its spelling, or use a GPU";
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

/// An error in the emulator's headers is about the launch that leads there: g++ names it before the
/// error, clang++ after it.
void move_to_caller(std::vector<Block>& blocks) {
  const auto is_ours = [](const Block& block) { return has(block.file, "kata_emulator/"); };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& error = blocks[i];
    if (!is_error(error) || !is_ours(error)) continue;
    const Block* caller = nullptr;
    for (std::size_t j = i; j-- > 0 && !caller && !is_error(blocks[j]);) {
      if (has(blocks[j].head, "required from") && !is_ours(blocks[j])) caller = &blocks[j];
    }
    for (std::size_t j = i + 1; j < blocks.size() && !caller && !is_error(blocks[j]); ++j) {
      if (has(blocks[j].head, "requested here") && !is_ours(blocks[j])) caller = &blocks[j];
    }
    if (!caller || caller->line == 0) continue;
    error.file = caller->file;
    error.line = caller->line;
    error.column = caller->column;
  }
}

/// The types of shared variables as the person wrote them, and no other name of ours.
std::string without_our_names(const std::string& text) {
  static const std::regex gcc_type(R"(‘__kata_\w+’ \{aka (‘[^’]*’)\})");
  static const std::regex clang_type(R"('__kata_\w+' \(aka ('[^']*')\))");
  static const std::regex any(R"(__kata_(?:type_|slot_)?(\w+))");
  return std::regex_replace(
      std::regex_replace(std::regex_replace(text, gcc_type, "$1"), clang_type, "$1"), any, "$1");
}

/// The person's file that a diagnostic is about, if it has that line.
const SourceFile* source_of(const Block& block, const std::vector<SourceFile>& sources) {
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const SourceFile& one) {
    return one.path.string() == block.file;
  });
  if (found == sources.end() || block.line < 1) return nullptr;
  return static_cast<std::size_t>(block.line) <= lines_of(found->text).size() ? &*found : nullptr;
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
  bool after_warning = false;  // its notes follow
  std::vector<Block> all = blocks(output);
  point_at_open_brace(all);
  move_to_caller(all);
  for (Block& block : all) {
    after_warning =
        has(block.head, ": warning: ") || (after_warning && has(block.head, ": note: "));
    if (after_warning || is_about_the_emulator(block)) continue;
    if (const auto line = originals.at(block.file, block.line)) {
      if (has(block.head, "required from here")) continue;
      place_at(block, block.line, written_column(*line, block.column), line->written);
      explain_launch(block);
      explain_shared_size(block);
      if (!seen.insert(block.head).second) continue;  // one launch is compiled in several ways
    }
    if (const SourceFile* source = source_of(block, sources)) {
      use_common_form(block, lines_of(source->text)[static_cast<std::size_t>(block.line) - 1]);
      point_at_missing_semicolon(block, *source);
    }
    error.detail += block.head + '\n' + block.rest;
    if (!is_error(block)) continue;
    if (++errors == 1) first = place_of(block);
    if (!what_does_not_run(block.head).empty()) {
      lacking += block.head + '\n' + block.rest;
      if (error.unsupported_line == 0) {
        error.unsupported_file = shown(block.file);
        error.unsupported_line = block.line;
      }
    }
    // What does not run is named wherever it stands; a name alone only where the person begins.
    const std::string what = !missing.empty() ? ""
                             : errors == 1    ? what_is_missing(block.head)
                                              : what_does_not_run(block.head);
    if (!what.empty()) missing = place_of(block) + ": " + what;
  }
  error.detail =
      without_our_names(with_short_paths(lacking.empty() ? error.detail : lacking, sources));
  if (!missing.empty()) {
    error.message = missing;
  } else {
    // A linker's words, or those of a compiler that fails itself, are no errors of a line.
    error.message = shown(unit) + " does not compile (" + compiler +
                    (errors == 0 ? "" : ", " + count_of(errors)) + ")" +
                    (first.empty() ? "" : ": begin at " + first);
  }
  return error;
}

}  // namespace kata

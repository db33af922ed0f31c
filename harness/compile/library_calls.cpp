#include "compile/library_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

#include "compile/sources.h"
#include "emulator/lexer/lexer.h"
#include "emulator/rewriter/rewrite.h"

namespace kata {
namespace {

using emulator::Token;
using emulator::TokenKind;

/// Random numbers, profiling and communication are none of them.
struct WorkingLibrary {
  std::string_view name;
  std::string_view header;  ///< what its headers' names begin with
  std::string_view space;   ///< its namespace; empty: none
  std::string_view prefix;  ///< what its functions begin with, before a capital; empty: none
};

constexpr std::array<WorkingLibrary, 10> working_libraries{{
    {"CUB", "cub/", "cub", ""},
    {"Thrust", "thrust/", "thrust", ""},
    {"cuBLAS", "cublas", "", "cublas"},
    {"cuDNN", "cudnn", "", "cudnn"},
    {"cuFFT", "cufft", "", "cufft"},
    {"cuSPARSE", "cusparse", "", "cusparse"},
    {"cuSOLVER", "cusolver", "", "cusolver"},
    {"cuTENSOR", "cutensor", "", "cutensor"},
    {"CUTLASS", "cutlass/", "cutlass", ""},
    {"PyTorch", "torch/", "torch", ""},
}};

bool is_use(const WorkingLibrary& library, const std::vector<const Token*>& code, std::size_t i) {
  const auto text = [&](std::size_t at) {
    return at < code.size() ? std::string_view(code[at]->text) : std::string_view();
  };
  const std::string_view name = text(i), after = text(i + 1);
  const std::string_view before = i > 0 ? text(i - 1) : std::string_view();
  if (!library.space.empty()) {
    const bool is_imported = before == "namespace" && i > 1 && text(i - 2) == "using";
    return name == library.space && (after == "::" || is_imported);
  }
  const std::size_t length = library.prefix.size();
  return name.starts_with(library.prefix) && name.size() > length &&
         std::isupper(static_cast<unsigned char>(name[length])) && after == "(";
}

std::optional<LibraryCall> call_in(const SourceFile& source,
                                   const std::vector<WorkingLibrary>& included) {
  const std::vector<Token> tokens = emulator::lex(source.text);
  std::vector<const Token*> code;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::space) code.push_back(&token);
  }
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i]->kind != TokenKind::identifier) continue;
    const auto library = std::ranges::find_if(
        included, [&](const WorkingLibrary& one) { return is_use(one, code, i); });
    if (library != included.end())
      return LibraryCall{source.path, code[i]->line, code[i]->text, std::string(library->name)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<LibraryCall> library_call(const std::filesystem::path& path,
                                        const std::string& text) {
  const Result<std::vector<SourceFile>> sources = read_sources({path}, {}, text);
  if (!sources) return std::nullopt;  // compile() says why
  std::vector<WorkingLibrary> included;
  for (const SourceFile& source : *sources) {
    for (const emulator::Include& include : emulator::includes(source.text)) {
      std::ranges::copy_if(
          working_libraries, std::back_inserter(included),
          [&](const WorkingLibrary& library) { return include.name.starts_with(library.header); });
    }
  }
  if (included.empty()) return std::nullopt;
  for (const SourceFile& source : *sources) {
    if (auto call = call_in(source, included)) return call;
  }
  return std::nullopt;
}

}  // namespace kata

#include "compile/emulator_source.h"

#include <algorithm>

#include "compile/library_headers.h"
#include "compile/toolchain.h"
#include "emulator/rewriter/rewrite.h"
#include "support/paths.h"

namespace kata {
namespace {

// The candidate's calls of these functions go to the emulator: it checks block copies, which are
// not instrumented, captures what kernels print, and gives them a heap. The assembler resolves the
// names, so calls that the compiler inserts are redirected too.
const char* const redirected =
    "__asm__(\".set memcpy, __kata_memcpy\\n.set memmove, __kata_memmove\\n"
    ".set memset, __kata_memset\\n.set printf, __kata_printf\\n"
    ".set malloc, __kata_heap_malloc\\n.set free, __kata_heap_free\\n"
    ".set _Znwm, __kata_heap_new\\n.set _Znam, __kata_heap_new\\n"
    ".set _ZdlPv, __kata_heap_delete\\n.set _ZdlPvm, __kata_heap_delete\\n"
    ".set _ZdaPv, __kata_heap_delete\\n.set _ZdaPvm, __kata_heap_delete\");\n";

// Of .cpp files too: what the rewriter writes into unions, and what the assembler makes of hooks.
const std::string implied_headers =
    "#include \"kata_emulator/in_union.h\"\n#include \"kata_emulator/quick_hooks.h\"\n";

std::string name_of(const std::vector<SourceFile>& sources, std::size_t i) {
  return "kata_own_" + std::to_string(i) + "_" + sources[i].path.filename().string();
}

bool uses_thrust(const std::vector<SourceFile>& sources) {
  return std::ranges::any_of(sources, [](const SourceFile& source) {
    return std::ranges::any_of(emulator::includes(source.text), [](const auto& include) {
      return include.name.starts_with("thrust/");
    });
  });
}

/// A path as the text of a string literal.
std::string escaped(const std::string& path) {
  std::string text;
  for (char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

Result<std::vector<RewrittenFile>> rewrite_sources(
    const std::vector<SourceFile>& sources, std::size_t units,
    const std::vector<std::filesystem::path>& include_folders,
    const emulator::RewriteOptions& chosen) {
  std::vector<RewrittenFile> result;
  const std::set<std::string> packages = installed_packages(sources);
  const bool functors_on_host = uses_thrust(sources);
  std::vector<std::set<std::string>> names;
  for (const SourceFile& source : sources)
    names.push_back(sources.size() > 1 ? emulator::function_names(source.text)
                                       : std::set<std::string>{});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string line = "#line 1 \"" + escaped(sources[i].path.string()) + "\"\n";
    if (is_c(sources[i].path)) {
      result.push_back({name_of(sources, i), redirected + line + sources[i].text});
      continue;
    }
    emulator::RewriteOptions options = chosen;
    options.packages = packages;
    options.functors_on_host = functors_on_host;
    for (std::size_t j = 0; j < sources.size(); ++j)
      if (j != i) options.elsewhere.insert(names[j].begin(), names[j].end());
    options.own_header = [&](const emulator::Include& include) -> std::string {
      const std::filesystem::path path = own_header(sources[i].path, include, include_folders);
      for (std::size_t j = 0; j < sources.size() && !path.empty(); ++j) {
        if (sources[j].path == path) return name_of(sources, j);
      }
      // cuRAND's device functions are ordinary code in the toolkit's headers.
      return include.name.starts_with("curand_") ? find_cuda_header(include.name).string() : "";
    };
    const emulator::Rewritten rewritten = emulator::rewrite(sources[i].text, options);
    if (!rewritten.problems.empty()) {
      const emulator::RewriteProblem& problem = rewritten.problems.front();
      return Error{shown(sources[i].path) + ":" + std::to_string(problem.line) + ": " +
                   problem.message};
    }
    // A header's own text has to come first, so that its #pragma once stays at the top of a file.
    const std::string before = i < units ? implied_headers + redirected : "";
    result.push_back({name_of(sources, i), before + line + rewritten.text});
  }
  return result;
}

}  // namespace kata

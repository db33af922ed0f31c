#include "compile/translate.h"

#include <algorithm>
#include <fstream>
#include <regex>

#include "compile/cache.h"
#include "compile/diagnostics.h"
#include "compile/gaps.h"
#include "compile/precompiled.h"
#include "compile/run_compiler.h"
#include "support/parallel.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Words = std::vector<std::string>;

/// What a compiler makes of a unit: the module itself, or one of its object files.
struct Target {
  fs::path path;
  bool object;
};

/// nvcc includes <cuda_runtime.h> into .cu files; others are the host compiler's.
bool is_cuda(const fs::path& unit) {
  return unit.extension() == ".cu";
}

/// What the compiler warned of.
Result<std::string> compile_unit(const Translation& translation, std::size_t unit,
                                 const Words& precompiled, const fs::path& headers,
                                 const Target& target) {
  const Toolchain& toolchain = translation.toolchain;
  const fs::path& source = translation.sources[unit].path;
  Words arguments;
  if (!is_c(source)) arguments = translation.first_cpp_options;
  append(arguments, toolchain.flags);
  if (is_c(source)) {
    arguments.push_back("-std=gnu17");
  } else {
    if (is_cuda(source) || translation.units == 1) append(arguments, precompiled);
    append(arguments, translation.cpp_options);
  }
  append(arguments, {"-iquote", headers.string(), "-iquote", source.parent_path().string()});
  append(arguments, translation.options);
  append(arguments,
         {"-x", is_c(source) ? "c" : "c++", "-", "-x", "none", "-o", target.path.string()});
  append(arguments, target.object ? Words{"-c"} : toolchain.libraries);
  const Result<Finished> finished =
      run_compiler(toolchain, arguments, translation.files[unit].text, source);
  if (!finished) return finished.error();
  if (finished->exit_status != 0) {
    return compile_error(source, translation.sources, translation.files, toolchain.name,
                         finished->errors);
  }
  if (target.object) add_gaps(target.path);
  return finished->errors;
}

/// As many at a time as there are cores.
Result<std::string> compile_all(const Translation& translation, const Words& precompiled,
                                const fs::path& headers, const std::vector<fs::path>& objects) {
  std::vector<Result<std::string>> compiled(objects.size(), std::string());
  in_parallel(objects.size(), [&](std::size_t i) {
    compiled[i] = compile_unit(translation, i, precompiled, headers, {objects[i], true});
  });
  std::string warnings;
  for (const Result<std::string>& unit : compiled) {
    if (!unit) return unit.error();
    warnings += *unit;
  }
  return warnings;
}

/// A linker's words about what two units define: "/dir/b.cu:3: multiple definition of `main'; ...
/// /dir/a.cu:1: first defined here".
Error link_error(const Translation& translation, const std::string& output) {
  static const std::regex twice(
      R"(multiple definition of [`'"]([^'"]+)['"][^\n]*first defined here)");
  std::smatch match;
  const std::string unit = shown(translation.sources.front().path);
  if (!std::regex_search(output, match, twice)) {
    return {unit + " and the other units do not link", output};
  }
  if (match[1] == "main") {
    return {"more than one of the files defines main: name the files of one program", output};
  }
  return {"more than one of the files defines " + match[1].str() +
              ": define it in one of them, and declare it in the others",
          output};
}

std::optional<Error> link(const Translation& translation, const std::vector<fs::path>& objects,
                          const fs::path& module) {
  Words arguments;
  for (const fs::path& object : objects) arguments.push_back(object.string());
  append(arguments, {"-o", module.string()});
  append(arguments, translation.toolchain.libraries);
  const Result<Finished> finished =
      run_compiler(translation.toolchain, arguments, "", translation.sources.front().path);
  if (!finished) return finished.error();
  if (finished->exit_status == 0) return std::nullopt;
  return link_error(translation, finished->errors);
}

}  // namespace

Result<std::string> translate(const Translation& translation, const fs::path& module) {
  const Result<Words> precompiled = precompiled_header(translation.toolchain);
  if (!precompiled) return precompiled.error();
  const Result<Temporary> folder = Temporary::folder();
  if (!folder) return folder.error();
  // A unit may include another one.
  for (std::size_t i = translation.units == 1; i < translation.files.size(); ++i) {
    const RewrittenFile& header = translation.files[i];
    std::ofstream(folder->path() / header.name) << header.text;
  }
  // At once, which saves a process, where no variable needs a gap.
  if (translation.units == 1 && !may_have_variables(translation.sources)) {
    return compile_unit(translation, 0, *precompiled, folder->path(), {module, false});
  }
  std::vector<fs::path> objects;
  for (std::size_t i = 0; i < translation.units; ++i) {
    objects.push_back(folder->path() / (std::to_string(i) + ".o"));
  }
  Result<std::string> warnings = compile_all(translation, *precompiled, folder->path(), objects);
  if (!warnings) return warnings;
  if (const auto error = link(translation, objects, module)) return *error;
  return warnings;
}

}  // namespace kata

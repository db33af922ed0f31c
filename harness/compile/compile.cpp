#include "compile/compile.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "compile/cache.h"
#include "compile/diagnostics.h"
#include "compile/elf.h"
#include "compile/emulator_source.h"
#include "compile/gaps.h"
#include "compile/hash.h"
#include "compile/library_headers.h"
#include "compile/run_compiler.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "compile/translate.h"
#include "compile/uninitialized.h"
#include "emulator/rewriter/libraries.h"
#include "emulator/rewriter/rewrite.h"
#include "support/demangle.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// The functions that a module calls and that neither it nor the worker defines.
std::vector<std::string> never_defined(const fs::path& module, bool openmp) {
  const DynamicSymbols worker = read_dynamic_symbols(program_folder() / "kata-worker-emulator");
  std::vector<std::string> result;
  if (worker.exported.empty()) return result;  // no worker to ask: it says so itself when it loads
  for (const std::string& name : read_dynamic_symbols(module).undefined) {
    const bool reserved = name.starts_with("__") && !name.starts_with("__Z");
    const bool is_openmp = openmp && (name.starts_with("omp_") || name.starts_with("GOMP_"));
    if (reserved || is_openmp || dlsym(RTLD_DEFAULT, name.c_str()) ||
        std::find(worker.exported.begin(), worker.exported.end(), name) != worker.exported.end()) {
      continue;
    }
    result.push_back(demangled(name));
  }
  return result;
}

Module module_at(const fs::path& path, const std::string& key, bool cached) {
  return {path, key, read_dynamic_symbols(path).functions, cached,
          from_description(description_of(path))};
}

Result<Module> finish(const std::string& key, const Temporary& output,
                      const std::string& description) {
  const Result<fs::path> kept = keep_module(key, output, description);
  if (!kept) return kept.error();
  return module_at(*kept, key, false);
}

/// Where the toolkit's headers are, if a source includes those of cuRAND's device functions, which
/// include others.
std::vector<std::string> curand_options(const std::vector<SourceFile>& sources) {
  for (const SourceFile& source : sources) {
    for (const emulator::Include& include : emulator::includes(source.text)) {
      if (!include.name.starts_with("curand_")) continue;
      const fs::path header = find_cuda_header(include.name);
      if (!header.empty()) return {"-idirafter", header.parent_path().string()};
    }
  }
  return {};
}

/// What to say of a function that is declared and that neither the module nor the worker has.
Error undefined_function(const std::string& name, const std::vector<SourceFile>& sources) {
  const fs::path& source = sources.front().path;
  if (name.starts_with("omp_")) return {shown(source) + " calls " + name + ": add -fopenmp"};
  const emulator::Library* library = emulator::library_of_name(name);
  if (!library)
    return {shown(source) + " calls the undefined function " + name +
            ": define it or fix the name"};
  Error error{name + ": " + std::string(library->name) +
              " does not run on the emulator: write that part as a kernel, or use a GPU"};
  for (const SourceFile& file : sources) {
    const std::size_t at = file.text.find(name);
    if (at == std::string::npos) continue;
    error.unsupported_file = shown(file.path);
    error.unsupported_line =
        1 + static_cast<int>(
                std::count(file.text.begin(), file.text.begin() + static_cast<long>(at), '\n'));
    error.message = error.unsupported_file + ":" + std::to_string(error.unsupported_line) + ": " +
                    error.message;
    break;
  }
  return error;
}

/// Whether nvcc's front end would at most warn of all that is wrong: of a name that a class gives
/// another meaning after its use, such as `using Array = Array<T, 4>;`, and of a `return;` where
/// there should be a value.
bool nvcc_accepts(const Error& error) {
  constexpr std::array accepted{" changes meaning of ", "return-statement with no value"};
  std::size_t errors = 0, harmless = 0;
  for (const std::string_view line : lines_of(error.detail)) {
    errors += line.find(" error: ") != line.npos;
    harmless += std::ranges::any_of(
        accepted, [&](const char* words) { return line.find(words) != line.npos; });
  }
  return errors > 0 && errors == harmless;
}

/// The person's -I and -D, as a compiler takes them.
std::vector<std::string> options_of(const CompileRequest& request) {
  std::vector<std::string> options;
  for (const fs::path& folder : request.include_folders) options.push_back("-I" + folder.string());
  for (const std::string& definition : request.definitions) options.push_back("-D" + definition);
  return options;
}

Result<Module> compile_for_emulator(const CompileRequest& request,
                                    const std::vector<SourceFile>& sources) {
  Result<Toolchain> toolchain = emulator_toolchain(request.instrumented, sources);
  if (!toolchain) return toolchain.error();
  if (!request.standard.empty()) toolchain->flags.push_back("-std=" + request.standard);
  if (request.openmp) {
    toolchain->flags.push_back("-fopenmp");
    toolchain->libraries.push_back(toolchain->clang ? "-lomp" : "-lgomp");
  }
  if (request.zero_locals) toolchain->flags.push_back("-ftrivial-auto-var-init=zero");
  if (request.overflows)  // not of products, where -fwrapv defines them
    append(toolchain->flags, {"-fno-wrapv", "-fsanitize=signed-integer-overflow"});
  const std::size_t units = 1 + request.more_sources.size();
  const emulator::RewriteOptions rewriting{
      .clang = toolchain->clang, .unroll = !request.instrumented, .as_nvcc = request.as_nvcc};
  const Result<std::vector<RewrittenFile>> files =
      rewrite_sources(sources, units, request.include_folders, rewriting);
  if (!files) return files.error();
  const Result<LibraryOptions> libraries = library_options(sources, toolchain->clang);
  if (!libraries) return libraries.error();
  Translation translation{*toolchain,       sources,           *files, units, options_of(request),
                          libraries->first, libraries->options};
  append(translation.cpp_options, curand_options(sources));
  if (units == 1) append(translation.options, entry_options(sources.front()));

  Hash hash;
  add_toolchain(hash, *toolchain, Backend::emulator);
  for (const RewrittenFile& file : *files) hash.add(file.name).add(file.text);
  hash.add(units).add(gaps_version);
  for (const auto* options :
       {&translation.options, &translation.first_cpp_options, &translation.cpp_options})
    for (const std::string& option : *options) hash.add(option);
  const std::string key = hash.hex();
  if (const auto path = find_module(key)) return module_at(*path, key, true);

  const Result<Temporary> output = Temporary::file(".so");
  if (!output) return output.error();
  Result<std::string> warnings = translate(translation, output->path());
  if (!warnings && nvcc_accepts(warnings.error())) {
    translation.cpp_options.push_back("-fpermissive");
    warnings = translate(translation, output->path());
  }
  if (!warnings) return warnings.error();
  if (const auto names = never_defined(output->path(), request.openmp); !names.empty())
    return undefined_function(names.front(), sources);
  std::vector<UninitializedLocal> locals = uninitialized_locals(*warnings, sources);
  add_unset_locals(sources, locals);
  return finish(key, *output,
                sources.front().path.string() + "\n" + joined(toolchain->flags, " ") + "\n" +
                    to_description(locals));
}

Result<Module> compile_for_gpu(const std::vector<SourceFile>& sources,
                               const std::string& compute_capability) {
  const fs::path& source = sources.front().path;
  const Result<Toolchain> toolchain = gpu_toolchain(compute_capability, sources);
  if (!toolchain) return toolchain.error();

  Hash hash;
  add_toolchain(hash, *toolchain, Backend::gpu);
  for (const SourceFile& file : sources) hash.add(file.path.string()).add(file.text);
  const std::string key = hash.hex();
  if (const auto path = find_module(key)) return module_at(*path, key, true);

  const Result<Temporary> output = Temporary::file(".so");
  if (!output) return output.error();
  std::vector<std::string> arguments = toolchain->flags;
  append(arguments, {"-x", "cu", source.string(), "-o", output->path().string()});
  append(arguments, toolchain->libraries);
  const Result<Finished> finished = run_compiler(*toolchain, arguments, "", source);
  if (!finished) return finished.error();
  if (read_file(source) != sources.front().text) {  // nvcc reads the file itself
    return Error{shown(source) + " was saved while it was compiled: check it again"};
  }
  if (finished->exit_status != 0) {  // nvcc writes to both streams
    return compile_error(source, sources, {}, toolchain->name, finished->errors + finished->output);
  }
  return finish(key, *output, source.string() + "\n" + joined(arguments, " "));
}

}  // namespace

Result<Module> compile(const CompileRequest& request) {
  std::vector<fs::path> units = request.more_sources;
  units.insert(units.begin(), request.source);
  const Result<std::vector<SourceFile>> sources =
      read_sources(units, request.include_folders, request.text);
  if (!sources) return sources.error();
  return request.backend == Backend::gpu ? compile_for_gpu(*sources, request.compute_capability)
                                         : compile_for_emulator(request, *sources);
}

}  // namespace kata

#include "compile/registers.h"

#include <algorithm>
#include <regex>

#include "compile/cache.h"
#include "compile/hash.h"
#include "compile/run_compiler.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "emulator/lexer/lexer.h"
#include "support/demangle.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// Layout, comments and folders do not count: neither changes a kernel.
std::string key_of(const Toolchain& nvcc, const std::vector<SourceFile>& sources) {
  Hash hash;
  std::error_code failed;
  hash.add(fs::canonical(nvcc.compiler, failed).string());
  for (const std::string& flag : nvcc.flags) {
    if (!flag.starts_with("-I")) hash.add(flag);
  }
  for (const SourceFile& file : sources)
    hash.add(file.path.filename().string()).add(emulator::significant_tokens(file.text));
  return hash.hex();
}

/// What ptxas printed of them.
fs::path kept_output(const Toolchain& nvcc, const std::vector<SourceFile>& sources) {
  return cache_folder() / "registers" / (key_of(nvcc, sources) + ".txt");
}

Result<std::string> ptxas_output(const Toolchain& nvcc, const fs::path& source) {
  const Result<Temporary> output = Temporary::file(".cubin");
  if (!output) return output.error();
  return make_cubin(nvcc, source, output->path());
}

}  // namespace

Result<std::string> make_cubin(const Toolchain& nvcc, const fs::path& source, const fs::path& cubin,
                               const std::vector<std::string>& more) {
  std::vector<std::string> arguments = nvcc.flags;
  append(arguments, {"-cubin", "-Xptxas", "-v"});
  append(arguments, more);
  append(arguments, {"-x", "cu", source.string(), "-o", cubin.string()});
  const Result<Finished> finished = run_compiler(nvcc, arguments, "", source);
  if (!finished) return finished.error();
  std::string text = finished->errors + finished->output;
  if (finished->exit_status != 0) return Error{"nvcc does not compile " + shown(source), text};
  return text;
}

std::vector<KernelResources> resources_from_ptxas(const std::string& text) {
  static const std::regex entry(R"(Compiling entry function '([^']+)')");
  static const std::regex used(R"(Used (\d+) registers)"), shared(R"((\d+) bytes smem)"),
      spilled(R"((\d+) bytes spill stores)");
  std::vector<KernelResources> kernels;
  std::smatch match;
  for (const std::string& line : lines_of(text)) {
    if (std::regex_search(line, match, entry)) {
      kernels.push_back({.kernel = demangled(match[1])});
    } else if (!kernels.empty() && std::regex_search(line, match, spilled)) {
      std::uint64_t& most = kernels.back().spilled_bytes;  // of the kernel and what it calls
      most = std::max<std::uint64_t>(most, std::stoull(match[1]));
    } else if (!kernels.empty() && std::regex_search(line, match, used)) {
      kernels.back().registers = static_cast<unsigned>(std::stoul(match[1]));
      if (std::regex_search(line, match, shared))
        kernels.back().static_shared_bytes = std::stoull(match[1]);
    }
  }
  return kernels;
}

Result<std::vector<KernelResources>> kernel_resources(const fs::path& source,
                                                      const std::string& compute_capability) {
  const Result<std::vector<SourceFile>> sources = read_sources({source}, {});
  if (!sources) return sources.error();
  const Result<Toolchain> nvcc = gpu_toolchain(compute_capability, *sources);
  if (!nvcc) return nvcc.error();
  const fs::path kept = kept_output(*nvcc, *sources);
  if (const auto text = read_file(kept)) return resources_from_ptxas(*text);
  const Result<std::string> text = ptxas_output(*nvcc, sources->front().path);
  if (!text) return text.error();
  write_file(kept, *text);  // best effort
  return resources_from_ptxas(*text);
}

Result<fs::path> machine_code(const fs::path& source, const std::string& compute_capability) {
  const Result<std::vector<SourceFile>> sources = read_sources({source}, {});
  if (!sources) return sources.error();
  const Result<Toolchain> nvcc = gpu_toolchain(compute_capability, *sources);
  if (!nvcc) return nvcc.error();
  Hash hash;  // of lines, too
  hash.add(key_of(*nvcc, *sources));
  for (const SourceFile& file : *sources) hash.add(file.path.string()).add(file.text);
  fs::path kept = cache_folder() / "machine" / (hash.hex() + ".cubin");
  if (fs::exists(kept)) return kept;
  const Result<Temporary> output = Temporary::file(".cubin");
  if (!output) return output.error();
  const Result<std::string> text = make_cubin(*nvcc, sources->front().path, output->path());
  if (!text) return text.error();
  write_file(kept_output(*nvcc, *sources), *text);  // a check asks for registers next
  const auto made = read_file(output->path());
  if (!made || !write_file(kept, *made).empty())
    return Error{"no room for machine code in the cache"};
  return kept;
}

}  // namespace kata

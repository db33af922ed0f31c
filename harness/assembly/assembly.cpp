#include "assembly/assembly.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compile/cache.h"
#include "compile/hash.h"
#include "compile/toolchain.h"
#include "support/demangle.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace fs = std::filesystem;

namespace kata::assembly {
namespace {

constexpr std::size_t outputs_kept = 500;
constexpr std::size_t most_output = 64 << 20;  // bytes of a disassembly
constexpr double disassembler_limit_s = 120;

/// What the tools of the toolkit print of one file.
struct Outputs {
  std::string ptxas, ptx, sass;  ///< the last one empty without nvdisasm
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outputs, ptxas, ptx, sass)

/// Comments count: they move lines.
std::string key_of(const Toolchain& nvcc, const fs::path& nvdisasm,
                   const std::vector<SourceFile>& sources) {
  Hash hash;
  add_toolchain(hash, nvcc, Backend::gpu);
  std::error_code failed;
  hash.add(fs::canonical(nvdisasm, failed).string());
  for (const SourceFile& file : sources) hash.add(file.path.string()).add(file.text);
  return hash.hex();
}

Result<std::string> disassembled(const fs::path& nvdisasm, const fs::path& cubin) {
  const Result<Finished> finished = run({.arguments = {nvdisasm, "-c", "-gi", cubin},
                                         .time_limit_s = disassembler_limit_s,
                                         .output_limit = most_output});
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};
  if (finished->exit_status != 0 || finished->signal != 0)
    return Error{"nvdisasm does not read what nvcc made: do both come from one CUDA Toolkit?",
                 finished->errors};
  return finished->output;
}

Result<Outputs> run_tools(const Toolchain& nvcc, const fs::path& nvdisasm, const fs::path& source) {
  const Result<Temporary> folder = Temporary::folder();
  if (!folder) return folder.error();
  const fs::path cubin = folder->path() / "kernel.cubin";
  Result<std::string> ptxas =
      make_cubin(nvcc, source, cubin, {"-keep", "-keep-dir", folder->path().string()});
  if (!ptxas) return ptxas.error();
  Outputs outputs{.ptxas = std::move(*ptxas), .ptx = {}, .sass = {}};
  const fs::path kept = folder->path() / source.filename().replace_extension(".ptx");
  outputs.ptx = read_file(kept).value_or("");
  if (nvdisasm.empty()) return outputs;
  Result<std::string> sass = disassembled(nvdisasm, cubin);
  if (!sass) return sass.error();
  outputs.sass = std::move(*sass);
  return outputs;
}

Result<Outputs> outputs_of(const Toolchain& nvcc, const std::vector<SourceFile>& sources) {
  const fs::path nvdisasm = find_cuda_tool("nvdisasm");
  const fs::path folder = cache_folder() / "assembly";
  const fs::path kept = folder / (key_of(nvcc, nvdisasm, sources) + ".json");
  try {
    if (const auto text = read_file(kept)) return nlohmann::json::parse(*text).get<Outputs>();
  } catch (const nlohmann::json::exception&) {
    // damaged: it is made again
  }
  Result<Outputs> made = run_tools(nvcc, nvdisasm, sources.front().path);
  if (!made) return made.error();
  write_file(kept, nlohmann::json(*made).dump());  // best effort
  forget_oldest(folder, ".json", outputs_kept);
  return made;
}

/// "Cuda compilation tools, release 13.0, V13.0.88" in the head of the PTX
std::string toolkit_of(const std::string& ptx) {
  const std::size_t line = ptx.find("Cuda compilation tools");
  const std::size_t at = line == std::string::npos ? line : ptx.find(", V", line);
  if (at == std::string::npos) return {};
  return ptx.substr(at + 3, ptx.find_first_of("\r\n", at) - at - 3);
}

std::string architecture_of(const std::string& ptx) {
  constexpr std::string_view mark = ".target ";
  const std::size_t at = ptx.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return ptx.substr(begin, ptx.find_first_of(", \r\n", begin) - begin);
}

OwnFile own_files(const std::vector<SourceFile>& sources) {
  using Found = std::optional<std::size_t>;
  return [&sources, known = std::map<std::string, Found>()](const std::string& path) mutable {
    const auto [one, is_new] = known.try_emplace(path);
    if (!is_new) return one->second;
    std::error_code failed;
    const fs::path whole = fs::weakly_canonical(path, failed);
    const auto found = std::ranges::find(sources, whole, &SourceFile::path);
    if (found != sources.end()) one->second = static_cast<std::size_t>(found - sources.begin());
    return one->second;
  };
}

}  // namespace

const char* to_string(Language language) {
  return language == Language::sass ? "SASS" : "PTX";
}

Result<Assembly> assemble(const fs::path& source, const std::string& compute_capability, bool ptx) {
  Result<std::vector<SourceFile>> sources = read_sources({source}, {});
  if (!sources) return sources.error();
  const Result<Toolchain> nvcc = gpu_toolchain(compute_capability, *sources);
  if (!nvcc) return nvcc.error();
  const Result<Outputs> outputs = outputs_of(*nvcc, *sources);
  if (!outputs) return outputs.error();

  Assembly result{.language = ptx || outputs->sass.empty() ? Language::ptx : Language::sass,
                  .toolkit = toolkit_of(outputs->ptx),
                  .architecture = architecture_of(outputs->ptx),
                  .sources = std::move(*sources),
                  .kernels = {}};
  const OwnFile own = own_files(result.sources);
  const std::vector<KernelResources> resources = resources_from_ptxas(outputs->ptxas);
  for (Function& one : result.language == Language::sass ? functions_from_sass(outputs->sass, own)
                                                         : functions_from_ptx(outputs->ptx, own)) {
    const std::string name = demangled(one.symbol);
    const auto known = std::ranges::find(resources, name, &KernelResources::kernel);
    result.kernels.push_back({known == resources.end() ? KernelResources{.kernel = name} : *known,
                              std::move(one.instructions)});
  }
  return result;
}

std::string missing_for_sass() {
  if (!find_cuda_tool("nvdisasm").empty()) return {};
  return "no nvdisasm, so this is PTX, before ptxas: the CUDA Toolkit has it (package "
         "cuda-nvdisasm)";
}

}  // namespace kata::assembly

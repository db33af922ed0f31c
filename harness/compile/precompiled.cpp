#include "compile/precompiled.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "compile/cache.h"
#include "compile/run_compiler.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// The plain header: what is precompiled, and what a compiler takes that refuses the result.
std::optional<Error> write_header(const fs::path& header) {
  std::error_code failed;
  if (fs::is_regular_file(header, failed)) return std::nullopt;  // clang remembers its time
  const Result<Temporary> source = Temporary::file(".h");
  if (!source) return source.error();
  std::ofstream(source->path()) << "#include <cuda_runtime.h>\n";
  return move_into_place(*source, header);
}

/// Keeps those used last: each is up to 20 MB, and every change of a header makes a new one.
void prune(const fs::path& folder) {
  constexpr std::size_t kept = 6;
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> headers;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    headers.emplace_back(entry->last_write_time(ignored), entry->path());
  }
  std::sort(headers.rbegin(), headers.rend());
  for (std::size_t i = kept; i < headers.size(); ++i) fs::remove_all(headers[i].second, ignored);
}

}  // namespace

Result<std::vector<std::string>> precompiled_header(const Toolchain& toolchain) {
  Hash hash;
  add_toolchain(hash, toolchain, Backend::emulator);
  const fs::path folder = cache_folder() / "precompiled" / hash.hex();
  const fs::path header = folder / "cuda_runtime.h";
  const fs::path compiled =
      folder / (toolchain.clang ? "cuda_runtime.h.pch" : "cuda_runtime.h.gch");
  const std::vector<std::string> arguments =
      toolchain.clang ? std::vector<std::string>{"-include-pch", compiled.string()}
                      : std::vector<std::string>{"-include", header.string()};
  std::error_code failed;
  if (fs::is_regular_file(compiled, failed)) {
    fs::last_write_time(folder, fs::file_time_type::clock::now(), failed);
    return arguments;
  }

  const Result<Temporary> output = Temporary::file(".gch");
  if (!output) return output.error();
  if (auto error = write_header(header)) return *error;
  std::vector<std::string> command = toolchain.flags;
  command.insert(command.end(),
                 {"-x", "c++-header", header.string(), "-o", output->path().string()});
  const Result<Finished> finished = run_compiler(toolchain, command, "", header);
  if (!finished) return finished.error();
  if (finished->exit_status != 0) {
    return Error{toolchain.name + " cannot compile the emulator's CUDA headers: `kata doctor` " +
                     "says what is missing",
                 finished->errors};
  }
  if (auto error = move_into_place(*output, compiled)) return *error;
  prune(folder.parent_path());
  return arguments;
}

}  // namespace kata

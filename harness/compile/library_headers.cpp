#include "compile/library_headers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "compile/cache.h"
#include "compile/hash.h"
#include "emulator/rewriter/rewrite.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

const std::array<const char*, 2> libraries{"cub", "thrust"};

/// One pass makes host and device code: what a device's pass alone would see goes by another name.
std::string without_architecture(std::string text) {
  constexpr std::string_view from = "__CUDA_ARCH__", to = "__KATA_NO_ARCH__";
  for (std::size_t i = 0; (i = text.find(from, i)) != text.npos; i += to.size())
    text.replace(i, from.size(), to);
  return text;
}

/// What a compiler for C++ cannot read.
bool has_cuda(const std::string& text) {
  return std::ranges::any_of(std::array{"__shared__", "<<<", "asm", "__global__"},
                             [&](const char* word) { return text.find(word) != text.npos; });
}

std::optional<Error> rewrite_folder(const fs::path& from, const fs::path& to, bool clang) {
  std::error_code failed;
  for (fs::recursive_directory_iterator file(from, failed), end; file != end;
       file.increment(failed)) {
    if (!file->is_regular_file(failed)) continue;
    std::optional<std::string> text = read_file(file->path());
    if (!text) return Error{"cannot read " + shown(file->path())};
    text = without_architecture(*text);
    if (has_cuda(*text))
      text = emulator::rewrite(*text, {.cub_and_thrust = true, .clang = clang}).text;
    const fs::path copy = to / fs::relative(file->path(), from, failed);
    fs::create_directories(copy.parent_path(), failed);
    std::ofstream(copy) << *text;
  }
  return std::nullopt;
}

bool uses_cub_or_thrust(const std::vector<SourceFile>& sources) {
  return std::ranges::any_of(sources, [](const SourceFile& source) {
    const std::vector<emulator::Include> includes = emulator::includes(source.text);
    return std::ranges::any_of(includes, [](const emulator::Include& include) {
      return include.name.starts_with("cub/") || include.name.starts_with("thrust/");
    });
  });
}

/// Made at the first use.
Result<fs::path> rewritten_copy(const fs::path& installed, bool clang) {
  std::error_code failed;
  Hash hash;
  for (const fs::path& file : {installed / "cub/version.cuh", installed / "thrust/version.h",
                               fs::read_symlink("/proc/self/exe", failed)}) {
    hash.add(file.string());
    hash.add(
        static_cast<std::uint64_t>(fs::last_write_time(file, failed).time_since_epoch().count()));
  }
  const fs::path folder =
      cache_folder() / "kata-libraries" / (clang ? "clang" : "gcc") / hash.hex();
  if (fs::is_directory(folder, failed)) return folder;
  fs::remove_all(folder.parent_path(), failed);  // of an older version
  const Result<Temporary> copy = Temporary::folder();
  if (!copy) return copy.error();
  for (const char* library : libraries) {
    if (auto error = rewrite_folder(installed / library, copy->path() / library, clang))
      return *error;
  }
  if (auto error = move_into_place(*copy, folder); error && !fs::is_directory(folder, failed))
    return *error;
  return folder;
}

}  // namespace

fs::path find_cub_and_thrust() {
  const char* chosen = std::getenv("KATA_CUB_AND_THRUST");
  const fs::path folder = chosen && *chosen ? chosen : "/usr/include";
  const bool has_all = std::ranges::all_of(libraries, [&](const char* library) {
    std::error_code failed;
    return fs::is_directory(folder / library, failed);
  });
  return has_all ? folder : fs::path();
}

Result<std::vector<std::string>> library_options(const std::vector<SourceFile>& sources,
                                                 bool clang) {
  std::vector<std::string> options;
  const fs::path installed = find_cub_and_thrust();
  if (installed.empty() || !uses_cub_or_thrust(sources)) return options;
  const Result<fs::path> copy = rewritten_copy(installed, clang);
  if (!copy) return copy.error();
  options = {"-isystem", copy->string(), "-include", "kata_emulator/cub_and_thrust.h"};
  // CUB 1.17 has `typedef BlockScan<T> BlockScan;`, an error for g++ and for no other compiler.
  if (!clang) options.push_back("-fpermissive");
  return options;
}

}  // namespace kata

#include "compile/library_headers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "compile/cache.h"
#include "compile/hash.h"
#include "compile/run_compiler.h"
#include "compile/toolchain.h"
#include "emulator/rewriter/rewrite.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// Libraries that lie in one folder and come together.
struct Libraries {
  std::string package;  ///< Debian's
  /// Where they may be installed; the first one counts. Looked for when a source uses them only:
  /// nvcc may have to be asked.
  std::vector<fs::path> (*folders)();
  std::vector<const char*> parts;     ///< folders in it
  std::vector<const char*> versions;  ///< files in it that change with the version
  std::vector<const char*> headers;   ///< what the names of their headers begin with
  /// One pass makes host and device code: what a device's pass, or nvcc alone, would see goes by
  /// another name.
  std::vector<std::string_view> hidden;
  std::vector<std::string> options = {}, options_of_gcc = {};
  bool come_first = false;  ///< their <cuda/...> stand in for the emulator's
};

/// The emulator has no <cuda_fp6.h>, and the toolkit's includes the rest of the toolkit.
const std::string no_fp6 = "-DCCCL_DISABLE_NVFP6_SUPPORT";

/// $KATA_CUB_AND_THRUST, else empty.
fs::path chosen_folder() {
  const char* chosen = std::getenv("KATA_CUB_AND_THRUST");
  return chosen ? chosen : "";
}

/// The toolkit's folder with CUB, Thrust and libcu++ of one version; empty without one.
fs::path toolkit_folder() {
  return find_cuda_header("cccl/cub/cub.cuh").parent_path().parent_path();
}

std::vector<Libraries> known_libraries() {
  return {
      {.package = "libcub-dev libthrust-dev",
       .folders =
           [] {
             const fs::path chosen = chosen_folder();
             return std::vector{chosen.empty() ? fs::path("/usr/include") : chosen};
           },
       .parts = {"cub", "thrust"},
       .versions = {"cub/version.cuh", "thrust/version.h"},
       .headers = {"cub/", "thrust/"},
       .hidden = {"__CUDA_ARCH__"},
       .options = {"-include", "kata_emulator/cub_and_thrust.h"},
       // CUB 1.17 has `typedef BlockScan<T> BlockScan;`, an error for g++ and for no other
       // compiler.
       .options_of_gcc = {"-fpermissive"}},
      // One version for all four. Of the emulator's headers of the same names they know nothing.
      {.package = "libcub-dev libthrust-dev",
       .folders =
           [] { return std::vector{chosen_folder().empty() ? toolkit_folder() : fs::path()}; },
       .parts = {"cub", "thrust", "cuda", "nv"},
       .versions = {"cub/version.cuh", "thrust/version.h", "cuda/std/version"},
       .headers = {"cub/", "thrust/"},
       .hidden = {"__CUDA_ARCH__"},
       .options = {"-include", "kata_emulator/cub_and_thrust.h", no_fp6},
       .come_first = true},
      {.package = "libcu++-dev",
       .folders =
           [] {
             const fs::path older = find_cuda_header("cuda/std/version");
             return std::vector<fs::path>{
                 toolkit_folder(), older.parent_path().parent_path().parent_path(), "/usr/include"};
           },
       .parts = {"cuda", "nv"},
       .versions = {"cuda/std/version", "nv/target"},
       .headers = {"cuda/std/"},
       .hidden = {"__CUDA_ARCH__", "__CUDACC__", "__NVCC__"},
       .options = {no_fp6}}};
}

/// Empty where they are not installed.
fs::path folder_of(const Libraries& libraries) {
  for (const fs::path& folder : libraries.folders()) {
    const bool has_all = std::ranges::all_of(libraries.parts, [&](const char* part) {
      std::error_code failed;
      return fs::is_directory(folder / part, failed);
    });
    if (!folder.empty() && has_all) return folder;
  }
  return {};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != text.npos; i += to.size())
    text.replace(i, from.size(), to);
}

/// `using WarpReduce = WarpReduce<T>;` gives a name another meaning: an error for g++ 12 and for no
/// other compiler. The class that is meant is in CUB's namespace.
std::string with_qualified_names(const std::string& text) {
  static const std::regex name_again(R"((\busing ((Block|Warp)\w+)\s*=\s*)(\2\s*<))");
  return std::regex_replace(text, name_again, "$1CUB_NS_QUALIFIER::$4");
}

/// The text for one pass; what is PTX keeps the device's branch.
std::string for_one_pass(std::string text, const fs::path& file, const Libraries& libraries) {
  const bool is_ptx = file.parent_path().string().find("/cuda/__ptx") != std::string::npos;
  for (const std::string_view from : libraries.hidden)
    if (!is_ptx) replace_all(text, from, "__KATA_NO_" + std::string(from.substr(2)));
  // "Completely": of a loop whose length g++ does not know it would make so many copies.
  replace_all(text, "_CCCL_PRAGMA_UNROLL(65534)", "_CCCL_PRAGMA_UNROLL(4)");
  const bool is_cub = file.string().find("/cub/") != std::string::npos;
  return is_cub ? with_qualified_names(text) : text;
}

/// What a compiler for C++ cannot read.
bool has_cuda(const std::string& text) {
  return std::ranges::any_of(std::array{"__shared__", "<<<", "asm", "__global__"},
                             [&](const char* word) { return text.find(word) != text.npos; });
}

std::optional<Error> rewrite_folder(const fs::path& from, const fs::path& to,
                                    const Libraries& libraries, bool clang) {
  std::error_code failed;
  const emulator::RewriteOptions options{.clang = clang, .of_library = true};
  for (fs::recursive_directory_iterator file(from, failed), end; file != end;
       file.increment(failed)) {
    if (!file->is_regular_file(failed)) continue;
    std::optional<std::string> text = read_file(file->path());
    if (!text) return Error{"cannot read " + shown(file->path())};
    text = for_one_pass(*text, file->path(), libraries);
    if (has_cuda(*text)) text = emulator::rewrite(*text, options).text;
    const fs::path copy = to / fs::relative(file->path(), from, failed);
    fs::create_directories(copy.parent_path(), failed);
    std::ofstream(copy) << *text;
  }
  return std::nullopt;
}

bool uses(const std::vector<SourceFile>& sources, const Libraries& libraries) {
  return std::ranges::any_of(sources, [&](const SourceFile& source) {
    return std::ranges::any_of(emulator::includes(source.text), [&](const auto& include) {
      return std::ranges::any_of(
          libraries.headers, [&](const char* header) { return include.name.starts_with(header); });
    });
  });
}

/// Made at the first use.
Result<fs::path> rewritten_copy(const Libraries& libraries, const fs::path& installed, bool clang) {
  std::error_code failed;
  Hash hash;
  std::vector<fs::path> files{fs::read_symlink("/proc/self/exe", failed)};
  for (const char* version : libraries.versions) files.push_back(installed / version);
  for (const fs::path& file : files) {
    hash.add(file.string());
    hash.add(
        static_cast<std::uint64_t>(fs::last_write_time(file, failed).time_since_epoch().count()));
  }
  const fs::path folder = cache_folder() / "kata-libraries" / (clang ? "clang" : "gcc") /
                          libraries.parts.front() / hash.hex();
  if (fs::is_directory(folder, failed)) return folder;
  fs::remove_all(folder.parent_path(), failed);  // of an older version
  const Result<Temporary> copy = Temporary::folder();
  if (!copy) return copy.error();
  for (const char* part : libraries.parts) {
    if (auto error = rewrite_folder(installed / part, copy->path() / part, libraries, clang))
      return *error;
  }
  if (auto error = move_into_place(*copy, folder); error && !fs::is_directory(folder, failed))
    return *error;
  return folder;
}

}  // namespace

bool is_installed(std::string_view package) {
  return std::ranges::any_of(known_libraries(), [&](const Libraries& libraries) {
    return libraries.package == package && !folder_of(libraries).empty();
  });
}

std::set<std::string> installed_packages(const std::vector<SourceFile>& sources) {
  std::set<std::string> packages;
  for (const Libraries& libraries : known_libraries())
    if (uses(sources, libraries) && !folder_of(libraries).empty())
      packages.insert(libraries.package);
  return packages;
}

Result<LibraryOptions> library_options(const std::vector<SourceFile>& sources, bool clang) {
  LibraryOptions result;
  std::set<std::string> parts;  // that an earlier one has brought
  for (const Libraries& libraries : known_libraries()) {
    const bool is_there = std::ranges::any_of(
        libraries.parts, [&](const char* part) { return parts.contains(part); });
    if (is_there || !uses(sources, libraries)) continue;
    const fs::path installed = folder_of(libraries);
    if (installed.empty()) continue;
    const Result<fs::path> copy = rewritten_copy(libraries, installed, clang);
    if (!copy) return copy.error();
    parts.insert(libraries.parts.begin(), libraries.parts.end());
    if (libraries.come_first)
      append(result.first, {"-I" + copy->string()});
    else
      append(result.options, {"-isystem", copy->string()});
    append(result.options, libraries.options);
    if (!clang) append(result.options, libraries.options_of_gcc);
  }
  return result;
}

}  // namespace kata

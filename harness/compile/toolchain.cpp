#include "compile/toolchain.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "emulator/lexer/lexer.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

// Canonical, since the names are part of the cache's keys: a folder that is reached through a link
// has the modules that were compiled without it.
fs::path emulator_headers() {
  return fs::weakly_canonical(root() / "harness" / "emulator" / "include");
}

/// <kata/kata.h>, and the <kata/entry_points.h> that the build generates.
std::vector<fs::path> harness_headers() {
  return {fs::weakly_canonical(root() / "harness" / "include"),
          fs::weakly_canonical(program_folder() / "include")};
}

const std::vector<std::string> common_flags{
    "-std=c++17", "-g1", "-fPIC", "-pipe", "-U_FORTIFY_SOURCE", "-fno-stack-protector",
    "-fcf-protection=none",
    "-fdata-sections",  // see gaps.h
    "-fno-plt",         // a jump less for each call of the emulator
    // What a local variable holds that nothing was written to must not change from run to run.
    "-ftrivial-auto-var-init=pattern",
    // 12 * i of an int would be computed in 64 bits, or step through a loop as a pointer; on the
    // device it wraps.
    "-fwrapv",
    // No function of a device's sets errno: loads move out of loops that call one.
    "-fno-math-errno",
    // No frame steps over a fiber's guard page.
    "-fstack-clash-protection",
    // A module's own functions are its own: they inline, as they do under nvcc.
    "-fno-semantic-interposition", "-fno-strict-aliasing", "-fno-threadsafe-statics",
    // An access in tail position would lose its line.
    "-fno-optimize-sibling-calls", "-ffp-contract=off", "-fno-builtin-printf",
    // Faults with memory that a kernel allocates must not go with the allocation.
    "-fno-builtin-malloc", "-fno-builtin-free"};

// The coverage pass adds a call at every basic block, which shows which lanes are in the same
// iteration of a loop, and lets others run while one spins.
const std::vector<std::string> gcc_coverage{"-fsanitize-coverage=trace-pc"};
const std::vector<std::string> clang_coverage{"-fsanitize-coverage=bb,no-prune,trace-pc"};

const std::vector<std::string> gcc_flags{"-fno-gnu-unique",  // modules share nothing
                                         "-fno-allocation-dce", "-fno-diagnostics-show-option",
                                         "-Wuninitialized",     "-Wmaybe-uninitialized",
                                         "-fmax-errors=20"};
const std::vector<std::string> clang_flags{"-fdebug-compilation-dir=.",
                                           "-enable-trivial-auto-var-init-zero-knowing-it-will-be-"
                                           "removed-from-clang",
                                           "-Wno-everything",
                                           "-Wuninitialized",
                                           "-Wsometimes-uninitialized",
                                           "-Wconditional-uninitialized",
                                           "-fno-diagnostics-show-option",
                                           "-ferror-limit=20"};

// A kernel's accesses are seen through ThreadSanitizer's compiler pass, whose calls the emulator
// answers; the bounds pass calls where a subscript leaves its array. What else the compiler may do
// is chosen so that the accesses it leaves are those that nvcc leaves: common subexpressions and
// hoisted loads are gone (-O2), but nothing is vectorised, merged or moved across barriers, and no
// code is copied, so that one line stays one instruction. Scheduling takes a tenth of the
// compiler's time, and gains next to nothing between so many calls.
const std::vector<std::string> gcc_instruments{"-O2",
                                               "-fsanitize=thread",
                                               "-fsanitize=bounds",
                                               "-fsanitize=return",
                                               "--param=tsan-instrument-func-entry-exit=0",
                                               "--param=tsan-distinguish-volatile=1",
                                               "-fno-tree-vectorize",
                                               "-fno-tree-slp-vectorize",
                                               "-fno-tree-loop-distribute-patterns",
                                               "-fno-store-merging",
                                               "-fno-thread-jumps",
                                               "-fno-crossjumping",
                                               "-fno-reorder-blocks",
                                               "-fno-reorder-blocks-and-partition",
                                               "-fno-guess-branch-probability",
                                               "-fno-tree-tail-merge",
                                               "-fno-schedule-insns2",
                                               "-fno-code-hoisting"};
const std::vector<std::string> clang_instruments{"-O2",
                                                 "-fsanitize=thread",
                                                 "-fsanitize=array-bounds",
                                                 "-fsanitize=return",
                                                 "-mllvm",
                                                 "-tsan-instrument-func-entry-exit=0",
                                                 "-mllvm",
                                                 "-tsan-instrument-read-before-write=1",
                                                 "-mllvm",
                                                 "-tsan-distinguish-volatile=1",
                                                 "-fno-vectorize",
                                                 "-fno-slp-vectorize",
                                                 "-fno-unroll-loops",
                                                 "-mllvm",
                                                 "-disable-loop-idiom-all"};

// The sanitizer's own runtime must stay away, so the libraries are named.
const std::vector<std::string> emulator_libraries{"-shared",
                                                  "-nodefaultlibs",
                                                  "-Wl,-Bsymbolic",
                                                  "-Wl,--build-id=none",
                                                  "-Wl,--as-needed",
                                                  "-lstdc++",
                                                  "-lm",
                                                  "-lgcc_s",
                                                  "-lc"};

/// "sm_90a" for 9.0, whose warp-group instructions need it, else "sm_XY".
std::string architecture(const std::string& capability) {
  std::string digits;
  std::copy_if(capability.begin(), capability.end(), std::back_inserter(digits),
               [](char c) { return c != '.'; });
  return digits == "90" ? "90a" : digits;
}

bool mentions(const std::vector<SourceFile>& sources, const std::string& text) {
  return std::any_of(sources.begin(), sources.end(), [&](const SourceFile& source) {
    return source.text.find(text) != std::string::npos;
  });
}

/// A loop that waits for another thread reads memory by one of these, or calls one that lets time
/// pass. Headers of libraries have such loops of their own.
bool may_spin(const std::vector<SourceFile>& sources) {
  constexpr std::string_view signs[] = {"volatile", "atomic", "__ld",  "asm",    "sleep",
                                        "clock",    "thrust", "<cub/", "<cuda/", "__threadfence"};
  for (const SourceFile& source : sources) {
    for (const emulator::Token& token : emulator::lex(source.text)) {
      if (token.kind == emulator::TokenKind::space) continue;  // comments are
      for (const std::string_view sign : signs) {
        if (token.text.find(sign) != std::string::npos) return true;
      }
    }
  }
  return false;
}

void add_file(Hash& hash, const fs::path& path) {
  std::error_code failed;
  hash.add(path.string());
  hash.add(fs::file_size(path, failed));
  hash.add(
      static_cast<std::uint64_t>(fs::last_write_time(path, failed).time_since_epoch().count()));
}

void add_folder(Hash& hash, const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator file(folder, failed), end; file != end;
       file.increment(failed)) {
    if (file->is_regular_file(failed)) files.push_back(file->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add_file(hash, file);
}

}  // namespace

std::vector<std::string> editor_flags() {
  std::vector<std::string> flags{"-xcuda",
                                 "--cuda-host-only",
                                 "-nocudainc",
                                 "-nocudalib",
                                 "-std=c++17",
                                 "-Wno-unknown-pragmas",
                                 "-I" + emulator_headers().string()};
  for (const fs::path& folder : harness_headers()) flags.push_back("-I" + folder.string());
  flags.push_back("-includecuda_runtime.h");  // as nvcc does; <algorithm> may come first
  return flags;
}

fs::path find_cuda_tool(const std::string& name) {
  if (const fs::path tool = find_program(name); !tool.empty()) return tool;
  const char* home = std::getenv("CUDA_HOME");
  for (const fs::path& folder : {fs::path(home ? home : ""), fs::path("/usr/local/cuda")}) {
    const fs::path tool = find_program(folder / "bin" / name);
    if (!folder.empty() && !tool.empty()) return tool;
  }
  return {};
}

std::vector<fs::path> header_folders(const fs::path& nvcc) {
  std::vector<fs::path> folders;
  const Result<Finished> asked =
      run({.arguments = {nvcc.string(), "-E", "-Xcompiler", "-v", "-x", "cu", "/dev/null"},
           .environment = {{"LC_ALL", "C"}},
           .time_limit_s = 10});
  if (!asked) return folders;
  bool listed = false;
  for (const std::string& line : lines_of(asked->errors)) {
    if (line.starts_with("End of search list")) break;
    if (listed && line.starts_with(" ")) folders.emplace_back(line.substr(1));
    listed = listed || line.starts_with("#include <...>");
  }
  return folders;
}

fs::path find_cuda_header(const std::string& name) {
  const fs::path nvcc = find_cuda_tool("nvcc");
  if (nvcc.empty()) return {};
  // Beside nvcc first: asking takes 0.2 s.
  std::vector<fs::path> folders{nvcc.parent_path().parent_path() / "include", "/usr/include"};
  std::error_code failed;
  for (bool asked = false;; asked = true) {
    for (const fs::path& folder : folders) {
      if (fs::is_regular_file(folder / name, failed)) return folder / name;
    }
    if (asked) return {};
    folders = header_folders(nvcc);
  }
}

Result<Toolchain> emulator_toolchain(bool instrumented, const std::vector<SourceFile>& sources) {
  Toolchain result;
  const char* chosen = std::getenv("KATA_EMULATOR_CXX");
  if (chosen && *chosen) {
    result.compiler = find_program(chosen);
    if (result.compiler.empty()) {
      return Error{"KATA_EMULATOR_CXX is " + std::string(chosen) + ", which is no program in PATH"};
    }
  } else {
    result.compiler = find_program("g++");
    if (result.compiler.empty()) result.compiler = find_program("clang++");
    if (result.compiler.empty()) {
      return Error{"no C++ compiler: install g++ (Debian and Ubuntu: apt-get install g++)"};
    }
  }
  result.name = result.compiler.filename().string();
  result.clang = result.name.find("clang") != std::string::npos;
  const auto add = [&](const std::vector<std::string>& flags) {
    result.flags.insert(result.flags.end(), flags.begin(), flags.end());
  };
  add(common_flags);
  add(result.clang ? clang_flags : gcc_flags);
  if (instrumented || may_spin(sources)) add(result.clang ? clang_coverage : gcc_coverage);
  if (instrumented) {
    add(result.clang ? clang_instruments : gcc_instruments);
  } else {
    add({"-O1"});
  }
  result.flags.push_back("-I" + emulator_headers().string());
  for (const fs::path& folder : harness_headers()) result.flags.push_back("-I" + folder.string());
  result.libraries = emulator_libraries;
  return result;
}

std::vector<std::string> entry_options(const SourceFile& file) {
  std::vector<std::string> words;
  for (emulator::Token& token : emulator::lex(file.text))
    if (token.kind != emulator::TokenKind::space) words.push_back(std::move(token.text));
  std::set<std::string> options;
  for (std::size_t at = 2; at < words.size(); ++at) {
    if (words[at - 2] != "extern" || words[at - 1] != "\"C\"") continue;
    if (words[at] == "{") return {};
    while (at + 1 < words.size() && words[at + 1] != "(" && words[at + 1] != ";") ++at;
    if (at + 1 < words.size() && words[at + 1] == "(") options.insert("-DKATA_ENTRY_" + words[at]);
  }
  if (!options.empty()) options.insert("-DKATA_ENTRIES");
  return {options.begin(), options.end()};
}

Result<Toolchain> gpu_toolchain(const std::string& compute_capability,
                                const std::vector<SourceFile>& sources) {
  Toolchain result;
  result.compiler = find_cuda_tool("nvcc");
  result.name = "nvcc";
  if (result.compiler.empty()) {
    return Error{"no nvcc: install the CUDA Toolkit and put its bin folder into PATH, or use " +
                 std::string("kata check --backend emulator")};
  }
  // Without a GPU to ask, PTX for the device that the emulator stands for: compiled, never run.
  const std::string virtual_architecture =
      "compute_" + (compute_capability.empty() ? "90a" : architecture(compute_capability));
  const std::string code =
      compute_capability.empty() ? virtual_architecture : "sm_" + architecture(compute_capability);
  result.flags = {"-O3", "-std=c++17", "-lineinfo", "-w", "-Xcompiler", "-fPIC",
                  // Else a template's static local is one for all modules in a process, and a rung
                  // would believe that it had set its own kernel's attributes.
                  "-Xcompiler", "-fno-gnu-unique",
                  "-gencode=arch=" + virtual_architecture + ",code=" + code};
  for (const fs::path& folder : harness_headers()) result.flags.push_back("-I" + folder.string());
  if (!sources.empty())
    for (const std::string& option : entry_options(sources.front())) result.flags.push_back(option);
  result.libraries = {"-shared", "-cudart", "shared"};
  const fs::path real = fs::canonical(result.compiler);
  const fs::path libraries = real.parent_path().parent_path() / "lib64";
  result.libraries.insert(result.libraries.end(), {"-Xlinker", "-rpath=" + libraries.string()});
  // The driver's own functions, such as cuTensorMapEncodeTiled. A machine without a GPU has none of
  // them: libcuda comes with the driver, and the toolkit has a stub to link with.
  if (mentions(sources, "cuda.h") || mentions(sources, "cudaTypedefs.h")) {
    result.libraries.push_back("-L" + (libraries / "stubs").string());
    result.libraries.push_back("-lcuda");
  }
  for (const char* library :
       {"cublas", "cublasLt", "cudnn", "cufft", "cusolver", "cusparse", "nccl"})
    if (mentions(sources, library)) result.libraries.push_back(std::string("-l") + library);
  return result;
}

void add_toolchain(Hash& hash, const Toolchain& toolchain, Backend backend) {
  std::error_code failed;
  add_file(hash, fs::canonical(toolchain.compiler, failed));
  hash.add(toolchain.name);
  for (const std::string& flag : toolchain.flags) hash.add(flag);
  for (const std::string& library : toolchain.libraries) hash.add(library);
  for (const fs::path& folder : harness_headers()) add_folder(hash, folder);
  if (backend == Backend::emulator) add_folder(hash, emulator_headers());
}

}  // namespace kata

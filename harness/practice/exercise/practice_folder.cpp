#include "practice/exercise/practice_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compile/toolchain.h"
#include "problems/spec/problem.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Failure = std::optional<Error>;

Failure write(const fs::path& file, const std::string& text) {
  if (read_file(file) == text) return {};
  const std::string reason = write_file(file, text);
  if (reason.empty()) return {};
  return Error{fmt::format("cannot write {}: {}", shown(file), reason)};
}

std::string without(std::string text, const std::string& what) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
  return text;
}

/// A package has neither the launcher of a clone nor its ctest.
std::string for_package(const std::string& stub, const std::string& name) {
  return without(without(stub, "harness/"), "   or   ctest -R " + name);
}

/// The stub beside it says whether the person has written in it.
Failure copy_exercise(const fs::path& from, const fs::path& to, const std::string& name,
                      Copied& copied) {
  const std::optional<std::string> original = read_file(from / ".stub.cu");
  if (!original) return Error{fmt::format("cannot read {}", shown(from / ".stub.cu"))};
  const std::string stub = for_package(*original, name);
  const fs::path file = to / (name + ".cu");
  const std::optional<std::string> own = read_file(file);
  const bool untouched = own && (own == stub || own == read_file(to / ".stub.cu"));
  if (own && !untouched) ++copied.kept;
  if (untouched && own != stub) ++copied.renewed;
  if (!own) ++copied.added;
  if (!own || untouched) {
    if (auto failed = write(file, stub)) return failed;
  }
  return write(to / ".stub.cu", stub);
}

Failure copy_if_absent(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  if (fs::exists(to, ignored)) return {};
  return write(to, read_file(from).value_or(""));
}

/// Tasks and snippets, which start the kata in PATH.
Failure copy_for_editors(const fs::path& from, const fs::path& to) {
  for (const char* file :
       {".vscode/extensions.json", ".vscode/kata.code-snippets", ".vim/ftplugin/cuda/kata.vim"}) {
    if (auto failed = copy_if_absent(from / file, to / file)) return failed;
  }
  const fs::path tasks = to / ".vscode/tasks.json";
  std::error_code ignored;
  if (fs::exists(tasks, ignored)) return {};
  const std::string text = read_file(from / ".vscode/tasks.json").value_or("");
  return write(tasks, without(text, "${workspaceFolder}/harness/"));
}

/// clangd reads it: one flag a line.
Failure write_flags(const fs::path& folder) {
  return write(folder / "compile_flags.txt", fmt::format("{}\n", fmt::join(editor_flags(), "\n")));
}

Failure remember(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(state_folder(), failed);
  fs::remove(practice_link(), failed);
  fs::create_directory_symlink(folder, practice_link(), failed);
  if (!failed) return {};
  return Error{fmt::format("cannot write {}: {}", practice_link().string(), failed.message())};
}

}  // namespace

Result<Copied> make_practice_folder(const fs::path& folder) {
  Copied copied;
  for (const Problem& problem : problems()) {
    const fs::path from = root() / "exercises" / problem.name;
    const fs::path to = folder / "exercises" / problem.name;
    if (auto failed = copy_exercise(from, to, problem.name, copied)) return *failed;
    if (auto failed = copy_if_absent(from / "README.md", to / "README.md")) return *failed;
  }
  if (auto failed = copy_for_editors(root(), folder)) return *failed;
  if (auto failed = write_flags(folder)) return *failed;
  if (auto failed = remember(folder)) return *failed;
  return copied;
}

}  // namespace kata

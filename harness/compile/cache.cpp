#include "compile/cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

fs::path modules_folder() {
  return cache_folder() / "modules";
}

Error cannot_write(const fs::path& path, const std::string& reason) {
  return {"cannot write " + shown(path) + ": " + reason +
          "; make room or set KATA_CACHE to a folder that you can write"};
}

Result<fs::path> fresh_name(const std::string& ending) {
  static std::atomic<int> count{0};
  std::error_code failed;
  const fs::path folder = cache_folder() / "tmp";
  fs::create_directories(folder, failed);
  if (failed) return cannot_write(folder, failed.message());
  if (access(folder.c_str(), W_OK) != 0) return cannot_write(folder, "permission denied");
  return folder / (std::to_string(getpid()) + "-" + std::to_string(count++) + ending);
}

/// Removes the modules that were not used for longest, and their descriptions.
void prune() {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> modules;
  for (fs::directory_iterator file(modules_folder(), ignored), end; file != end;
       file.increment(ignored)) {
    if (file->path().extension() != ".so") continue;
    modules.emplace_back(file->last_write_time(ignored), file->path());
  }
  if (modules.size() <= modules_kept) return;
  std::sort(modules.begin(), modules.end());
  modules.resize(modules.size() - modules_kept);
  for (auto& [time, path] : modules) {
    fs::remove(path, ignored);
    fs::remove(path.replace_extension(".txt"), ignored);
  }
}

}  // namespace

std::optional<fs::path> find_module(const std::string& key) {
  const fs::path path = modules_folder() / (key + ".so");
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), failed);
  return path;
}

Result<Temporary> Temporary::file(const std::string& ending) {
  Result<fs::path> path = fresh_name(ending);
  if (!path) return path.error();
  return Temporary(*path);
}

Result<Temporary> Temporary::folder() {
  Result<fs::path> path = fresh_name("");
  if (!path) return path.error();
  std::error_code failed;
  fs::create_directories(*path, failed);
  if (failed) return cannot_write(*path, failed.message());
  return Temporary(*path);
}

Temporary::Temporary(Temporary&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Temporary::~Temporary() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::optional<Error> move_into_place(const Temporary& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  if (!failed) fs::rename(from.path(), to, failed);
  if (failed) return cannot_write(to, failed.message());
  return std::nullopt;
}

Result<fs::path> keep_module(const std::string& key, const Temporary& module,
                             const std::string& description) {
  const fs::path path = modules_folder() / (key + ".so");
  Result<Temporary> note = Temporary::file(".txt");
  if (!note) return note.error();
  std::ofstream(note->path()) << description << '\n';
  if (auto error = move_into_place(*note, modules_folder() / (key + ".txt"))) return *error;
  if (auto error = move_into_place(module, path)) return *error;
  prune();
  return path;
}

std::string description_of(fs::path module) {
  std::ostringstream text;
  text << std::ifstream(module.replace_extension(".txt")).rdbuf();
  return text.str();
}

}  // namespace kata

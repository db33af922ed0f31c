#include "compile/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
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

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Removes what processes that were killed left behind: folders whose lock is free.
void remove_abandoned(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator one(folder, ignored), end; one != end; one.increment(ignored)) {
    const int lock = open_folder(one->path());
    const bool is_file = lock < 0 && errno == ENOTDIR;  // of a kata without locks
    if (is_file || (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0))
      fs::remove_all(one->path(), ignored);
    if (lock >= 0) close(lock);
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
  Result<Temporary> made = folder();
  if (made) made->path_ /= "new" + ending;
  return made;
}

Result<Temporary> Temporary::folder() {
  const fs::path all = cache_folder() / "tmp";
  std::error_code failed;
  fs::create_directories(all, failed);
  if (failed) return cannot_write(all, failed.message());
  std::string folder = all / "XXXXXX";
  // Locked, so that no other process takes the new folder for an abandoned one.
  const int all_lock = open_folder(all);
  if (all_lock >= 0) flock(all_lock, LOCK_EX);
  remove_abandoned(all);
  const bool made = mkdtemp(folder.data()) != nullptr;
  const int error = errno;
  const int lock = made ? open_folder(folder) : -1;
  if (lock >= 0) flock(lock, LOCK_EX);
  if (all_lock >= 0) close(all_lock);
  if (!made) return cannot_write(all, std::generic_category().message(error));
  return Temporary(folder, lock);
}

Temporary::Temporary(Temporary&& other) noexcept
    : path_(std::move(other.path_)),
      folder_(std::exchange(other.folder_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

Temporary::~Temporary() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  if (lock_ >= 0) close(lock_);
}

std::vector<fs::path> forget_oldest(const fs::path& folder, const std::string& ending,
                                    std::size_t most) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator file(folder, ignored), end; file != end; file.increment(ignored)) {
    if (file->path().extension() == ending)
      files.emplace_back(file->last_write_time(ignored), file->path());
  }
  std::sort(files.begin(), files.end());
  std::vector<fs::path> gone;
  for (std::size_t i = 0; i + most < files.size(); ++i) {
    fs::remove(files[i].second, ignored);
    gone.push_back(files[i].second);
  }
  return gone;
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
  std::error_code failed;
  for (fs::path old : forget_oldest(modules_folder(), ".so", modules_kept))
    fs::remove(old.replace_extension(".txt"), failed);
  return path;
}

std::string description_of(fs::path module) {
  std::ostringstream text;
  text << std::ifstream(module.replace_extension(".txt")).rdbuf();
  return text.str();
}

}  // namespace kata

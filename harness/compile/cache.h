#pragma once
// Compiled modules by the hash of everything that went into them: <cache folder>/modules/<key>.so,
// and beside it a <key>.txt that says what it is.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

/// The module of that key, if there is one. Marks it as used just now.
std::optional<std::filesystem::path> find_module(const std::string& key);

/// A file or folder in a new folder of the cache: other processes may compile the same file at the
/// same time. The destructor removes it. If the process is killed, the next Temporary does, of any
/// process: the folder is locked for as long as somebody uses it.
class Temporary {
 public:
  static Result<Temporary> file(const std::string& ending);
  static Result<Temporary> folder();
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary();
  const std::filesystem::path& path() const { return path_; }

 private:
  Temporary(std::filesystem::path folder, int lock)
      : path_(folder), folder_(std::move(folder)), lock_(lock) {}

  std::filesystem::path path_, folder_;
  int lock_;  ///< descriptor of the folder
};

/// Moves a finished file into its place in the cache, at once or not at all.
std::optional<Error> move_into_place(const Temporary& from, const std::filesystem::path& to);

/// Removes the files with that ending that were written longest ago, but for `most` of them, and
/// returns their paths.
std::vector<std::filesystem::path> forget_oldest(const std::filesystem::path& folder,
                                                 const std::string& ending, std::size_t most);

/// Keeps `module` under `key`, with its description, and forgets the modules not used for longest.
Result<std::filesystem::path> keep_module(const std::string& key, const Temporary& module,
                                          const std::string& description);

/// The description that a module in the cache was kept with.
std::string description_of(std::filesystem::path module);

/// How many modules are kept: the ladders for both backends, and some days of attempts.
inline constexpr int modules_kept = 1500;

}  // namespace kata

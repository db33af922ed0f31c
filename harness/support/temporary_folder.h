#pragma once
#include <filesystem>

namespace kata {

/// A new, empty folder where the system keeps what is temporary; gone with all that is in it when
/// this goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }  ///< empty: there is no room for it

 private:
  std::filesystem::path path_;
};

}  // namespace kata

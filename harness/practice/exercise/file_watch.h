#pragma once
// Says when a file is saved, however an editor does that: in place, by renaming another file onto
// it, or by deleting it and writing a new one.

#include <filesystem>
#include <string>

#include "support/result.h"

namespace kata {

/// Watches the file's folder, since a rename gives the name to another file.
class FileWatch {
 public:
  /// An Error where the system gives no more watches.
  static Result<FileWatch> of(const std::filesystem::path& file);

  FileWatch(FileWatch&& other) noexcept;
  FileWatch& operator=(FileWatch&& other) noexcept;
  ~FileWatch();

  /// Has something to read when something has happened in the folder.
  int descriptor() const { return descriptor_; }

  /// True if the file was written and closed, replaced or removed since the last call. Waits
  /// until an editor that does several of these in a row has finished, at most 100 ms.
  bool changed();

  /// True while the folder itself is gone; changed() finds it when it is back.
  bool lost() const { return watch_ < 0; }

 private:
  FileWatch(int descriptor, std::filesystem::path file);
  bool watch_folder();
  bool read_events();

  int descriptor_ = -1;
  int watch_ = -1;
  std::filesystem::path file_;
};

}  // namespace kata

#pragma once
// The text of a file that the page and other editors write.

#include <filesystem>
#include <string>

#include "support/result.h"

namespace kata::serve {

struct FileText {
  std::string text;
  std::string version;  ///< of the text
};

/// The file as it is now.
Result<FileText> read_text(const std::filesystem::path& file);

struct Saved {
  FileText now;           ///< the file's
  bool conflict = false;  ///< it was another text than the page had: nothing was written
};

/// Writes `text` if the file still has the version that it is based on.
Result<Saved> save_text(const std::filesystem::path& file, const std::string& text,
                        const std::string& base);

}  // namespace kata::serve

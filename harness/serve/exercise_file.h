#pragma once
// The text of an exercise, which the page and other editors write.

#include <string>

#include "support/result.h"

namespace kata::serve {

struct FileText {
  std::string text;
  std::string version;  ///< of the text
};

/// exercises/<operator>/<operator>.cu as it is now.
Result<FileText> read_exercise(const std::string& operator_name);

struct Saved {
  FileText now;           ///< the file's
  bool conflict = false;  ///< it was another text than the page had: nothing was written
};

/// Writes `text` if the file still has the version that it is based on.
Result<Saved> save_exercise(const std::string& operator_name, const std::string& text,
                            const std::string& base);

}  // namespace kata::serve

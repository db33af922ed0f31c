#pragma once
// The folder that a person practises in, where kata is a package.

#include <filesystem>

#include "support/result.h"

namespace kata {

struct Copied {
  int added = 0;    ///< exercises that were not there
  int renewed = 0;  ///< stubs without text of the person, and that this kata has another of
  int kept = 0;     ///< exercises that somebody has written in
};

/// Copies the exercises of root() to `folder`/exercises, with what editors and clangd need, and
/// makes `folder` practice_folder(). A file that a person has changed stays as it is.
Result<Copied> make_practice_folder(const std::filesystem::path& folder);

}  // namespace kata

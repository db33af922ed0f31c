#pragma once
// What a class has handed in: one file or one folder for each person.

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

/// One file to judge.
struct HandIn {
  std::string person;                 ///< the name of the file or folder
  std::filesystem::path folder = {};  ///< the person's folder; empty: one file is all there is
  std::filesystem::path file = {};    ///< the .cu file; empty: there is none

  /// "student_a", or "student_a/softmax" where the folder has several files.
  std::string title() const;
};

/// By name. Of a folder with several .cu files, the one that is named after `operator_name`, if it
/// has one; else all of them. Hidden files are left out.
Result<std::vector<HandIn>> find_submissions(const std::filesystem::path& folder,
                                             const std::string& operator_name);

/// The content of everything that the person handed in, and of what `options` says: a hash.
std::string content_key(const HandIn& submission, const std::string& options);

}  // namespace kata

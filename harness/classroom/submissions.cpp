#include "classroom/submissions.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/hash.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name.starts_with("__MACOSX");
}

/// By name; links are not followed out of the folder.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (is_hidden(entry->path())) entry.disable_recursion_pending();
    const bool is_file = entry->is_regular_file(failed) && !entry->is_symlink(failed);
    if (is_file && !is_hidden(entry->path())) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_folder(const fs::path& folder, const std::string& operator_name,
                std::vector<HandIn>& submissions) {
  const std::string person = folder.filename().string();
  std::vector<fs::path> candidates = files_in(folder);
  std::erase_if(candidates, [](const fs::path& file) { return file.extension() != ".cu"; });
  const auto named = std::find_if(candidates.begin(), candidates.end(), [&](const fs::path& file) {
    return file.stem() == operator_name;
  });
  if (named != candidates.end()) candidates = {*named};
  if (candidates.empty()) submissions.push_back({person, folder, {}});
  for (const fs::path& file : candidates) submissions.push_back({person, folder, file});
}

}  // namespace

std::string HandIn::title() const {
  const std::string stem = file.stem().string();
  return folder.empty() || file.empty() ? person : fmt::format("{}/{}", person, stem);
}

Result<std::vector<HandIn>> find_submissions(const fs::path& folder,
                                             const std::string& operator_name) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error{fs::exists(folder, failed)
                     ? shown(folder) + " is a file: give a folder of submissions"
                     : "there is no folder " + shown(folder)};
  }
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, failed)) entries.push_back(entry.path());
  if (failed) return Error{fmt::format("cannot read {}: {}", shown(folder), failed.message())};
  std::sort(entries.begin(), entries.end());
  std::vector<HandIn> submissions;
  for (const fs::path& entry : entries) {
    if (is_hidden(entry)) continue;
    if (fs::is_directory(entry, failed)) {
      add_folder(entry, operator_name, submissions);
    } else if (entry.extension() == ".cu") {
      submissions.push_back({entry.stem().string(), {}, entry});
    }
  }
  if (!submissions.empty()) return submissions;
  return Error{fmt::format("{} holds no submissions: one .cu file or one folder for each person",
                           shown(folder))};
}

std::string content_key(const HandIn& submission, const std::string& options) {
  Hash hash;
  hash.add(options).add(submission.person).add(submission.file.string());
  const std::vector<fs::path> files = submission.folder.empty()
                                          ? std::vector<fs::path>{submission.file}
                                          : files_in(submission.folder);
  for (const fs::path& file : files) hash.add(file.string()).add(read_file(file).value_or(""));
  return hash.hex();
}

}  // namespace kata

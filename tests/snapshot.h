#pragma once
// What a folder holds, to make it so again: where tests begin alike, that takes far less time than
// to make and to delete hundreds of files for each.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace kata::test {

class Snapshot {
 public:
  explicit Snapshot(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      entries_[entry.path().lexically_relative(folder)] = look_at(entry);
  }

  void restore(const std::filesystem::path& folder) const {
    namespace fs = std::filesystem;
    std::vector<fs::path> others;
    std::map<fs::path, Entry> missing = entries_;
    for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
      const auto wanted = entries_.find(entry->path().lexically_relative(folder));
      if (wanted != entries_.end() && wanted->second == look_at(*entry)) {
        missing.erase(wanted->first);
        continue;
      }
      others.push_back(entry->path());
      entry.disable_recursion_pending();
    }
    for (const fs::path& other : others) fs::remove_all(other);
    for (const auto& [path, entry] : missing) make(folder / path, entry);
  }

 private:
  struct Entry {
    std::filesystem::file_type type;
    std::filesystem::perms permissions;
    std::string content;  ///< of a link: where it leads
    bool operator==(const Entry&) const = default;
  };

  static Entry look_at(const std::filesystem::directory_entry& entry) {
    const auto status = entry.symlink_status();
    Entry seen{status.type(), status.permissions(), {}};
    if (entry.is_symlink()) {
      seen.content = std::filesystem::read_symlink(entry.path());
    } else if (entry.is_regular_file()) {
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      seen.content = text.str();
    }
    return seen;
  }

  static void make(const std::filesystem::path& path, const Entry& entry) {
    if (entry.type == std::filesystem::file_type::symlink)
      return std::filesystem::create_symlink(entry.content, path);
    if (entry.type == std::filesystem::file_type::directory)
      std::filesystem::create_directory(path);
    else
      std::ofstream(path, std::ios::binary) << entry.content;
    std::filesystem::permissions(path, entry.permissions);
  }

  std::map<std::filesystem::path, Entry> entries_;  ///< a folder comes before what is in it
};

}  // namespace kata::test

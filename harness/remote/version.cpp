#include "remote/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "compile/hash.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {

HarnessVersion this_harness() {
  const fs::path folder = root() / "harness";
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           entry(folder, fs::directory_options::follow_directory_symlink, failed),
       end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->is_regular_file(failed) && entry->path().extension() != ".md")
      files.push_back(entry->path());
  }
  if (files.empty()) return {KATA_VERSION, ""};
  std::sort(files.begin(), files.end());
  Hash hash;
  for (const fs::path& file : files) {
    hash.add(file.lexically_relative(folder).string()).add(read_file(file).value_or(""));
  }
  return {KATA_VERSION, hash.hex().substr(0, 8)};
}

std::string to_string(const HarnessVersion& version) {
  if (version.harness.empty()) return version.version;
  return fmt::format("{} (harness {})", version.version, version.harness);
}

void to_json(nlohmann::json& json, const HarnessVersion& version) {
  json = {{"kata", version.version}, {"harness", version.harness}};
}

void from_json(const nlohmann::json& json, HarnessVersion& version) {
  version = {json.value("kata", ""), json.value("harness", "")};
}

}  // namespace kata

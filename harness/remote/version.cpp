#include "remote/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "compile/hash.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// Whether a verdict, or what the two machines say to each other, can depend on it.
bool counts(const fs::path& file, const fs::path& folder) {
  constexpr std::array without = {"contribute", "ctest", "package", "practice", "site"};
  const fs::path part = *file.lexically_relative(folder).begin();
  return file.extension() != ".md" &&
         std::find(without.begin(), without.end(), part) == without.end();
}

std::string hash_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           entry(folder, fs::directory_options::follow_directory_symlink, failed),
       end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->is_regular_file(failed) && counts(entry->path(), folder))
      files.push_back(entry->path());
  }
  if (files.empty()) return "";
  std::sort(files.begin(), files.end());
  Hash hash;
  for (const fs::path& file : files) {
    hash.add(file.lexically_relative(folder).string()).add(read_file(file).value_or(""));
  }
  return hash.hex().substr(0, 8);
}

}  // namespace

HarnessVersion this_harness() {
  const fs::path folder = root() / "harness";
  // A package lacks the sources; it has what its clone said.
  if (const auto kept = read_file(folder / "version"))
    return {KATA_VERSION, std::string(trimmed(*kept))};
  return {KATA_VERSION, hash_of(folder)};
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

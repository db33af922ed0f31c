// The includes of harness/ go one way: as the table in docs/architecture.md says, and no other.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path root = KATA_SOURCE_DIR;

struct Folder {
  std::string name;
  std::set<std::string> may_include;
};

/// The lines "folder: folders that it may include" between ```includes and ```, in their order.
std::vector<Folder> table() {
  std::ifstream page(root / "docs" / "architecture.md");
  std::vector<Folder> folders;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```includes";
      continue;
    }
    const std::size_t colon = line.find(':');
    if (!inside || colon == std::string::npos) continue;
    Folder folder{line.substr(0, colon), {}};
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) folder.may_include.insert(word);
    folders.push_back(folder);
  }
  return folders;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cpp" || path.extension() == ".cu";
}

/// What candidates include belongs to no folder of the harness; tests may include what they test.
bool is_checked(const std::string& folder) {
  return !folder.starts_with("include") && !folder.starts_with("emulator/include") &&
         !folder.starts_with("emulator/tests");
}

/// By folder, the folders that its files include, each with an example of the line.
std::map<std::string, std::map<std::string, std::string>> includes() {
  static const std::regex quoted(R"(^\s*#\s*include\s*"([^"]+)/[^"/]+")");
  std::map<std::string, std::map<std::string, std::string>> result;
  const fs::path harness = root / "harness";
  for (const auto& entry : fs::recursive_directory_iterator(harness)) {
    const std::string folder = fs::relative(entry.path().parent_path(), harness).generic_string();
    if (!is_source(entry.path()) || !is_checked(folder)) continue;
    auto& included = result[folder];
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_search(line, match, quoted) || match[1] == folder) continue;
      included.try_emplace(match[1], entry.path().filename().string() + ": " + line);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("each folder of harness/ includes only what docs/architecture.md allows it") {
  std::map<std::string, std::set<std::string>> allowed;
  for (const Folder& folder : table()) allowed[folder.name] = folder.may_include;
  REQUIRE(allowed.size() > 10);
  const auto found = includes();
  REQUIRE(found.size() > 10);
  for (const auto& [folder, included] : found) {
    if (!allowed.contains(folder)) FAIL_CHECK("docs/architecture.md does not list " << folder);
    for (const auto& [other, example] : included) {
      if (!allowed[folder].contains(other))
        FAIL_CHECK(folder << " may not include " << other << ", as in " << example);
    }
  }
}

TEST_CASE("the table of includes has no cycle, nothing that is not there, and nothing unused") {
  const auto found = includes();
  std::set<std::string> before;
  for (const Folder& folder : table()) {
    const auto here = found.find(folder.name);
    if (!fs::is_directory(root / "harness" / folder.name))
      FAIL_CHECK("there is no folder harness/" << folder.name);
    for (const std::string& other : folder.may_include) {
      if (!before.contains(other))
        FAIL_CHECK(folder.name << " includes " << other << ", which is not listed before it");
      if (here != found.end() && !here->second.contains(other))
        FAIL_CHECK(folder.name << " may include " << other << ", and does not");
    }
    before.insert(folder.name);
  }
}

TEST_CASE("the emulator includes nothing of kata outside its own folder") {
  for (const auto& [folder, included] : includes()) {
    if (!folder.starts_with("emulator")) continue;
    for (const auto& [other, example] : included) {
      const bool is_inside = other == "emulator" || other.starts_with("emulator/");
      if (!is_inside) FAIL_CHECK(folder << " includes " << other << ": " << example);
    }
  }
}

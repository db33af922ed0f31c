// A reader who follows a link or opens a file that a page names finds it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> pages() {
  std::vector<fs::path> result{fs::path(KATA_SOURCE_DIR) / "README.md"};
  for (const char* folder : {"docs", "harness/emulator", "solutions/common"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(KATA_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".md") result.push_back(entry.path());
    }
  }
  return result;
}

std::string text_of(const fs::path& page) {
  std::ifstream file(page);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern, int group) {
  return {std::sregex_token_iterator(text.begin(), text.end(), pattern, group), {}};
}

/// "What it costs" is #what-it-costs, as GitHub names it.
std::set<std::string> anchors(const fs::path& page) {
  std::set<std::string> result;
  std::ifstream file(page);
  bool in_code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    const std::size_t level = line.find_first_not_of('#');
    if (in_code || level == 0 || level == std::string::npos || line[level] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(level + 1)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    result.insert(anchor);
  }
  return result;
}

}  // namespace

TEST_CASE("every relative link of README.md and the docs leads to a file and a heading") {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& target : matches(text_of(page), link, 1)) {
      if (target.find("://") != std::string::npos) continue;
      const std::size_t hash = std::min(target.find('#'), target.size());
      const std::string file = target.substr(0, hash);
      const fs::path linked = file.empty() ? page : page.parent_path() / file;
      CAPTURE(page);
      CAPTURE(target);
      ++checked;
      CHECK(fs::exists(linked));
      if (hash < target.size()) CHECK(anchors(linked).contains(target.substr(hash + 1)));
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("every file that README.md and the docs name is in the tree") {
  // Not a placeholder ("<op>", "*", "..."); "square" is contributing.md's example of a new
  // operator.
  static const std::regex named(
      R"((^|[\s`("'])((exercises|solutions|harness|tests|docs)/[\w./-]*[\w/])(?![\w<*]))");
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& path : matches(text_of(page), named, 2)) {
      if (path.find("square") != std::string::npos || path.find("...") != std::string::npos)
        continue;
      CAPTURE(page);
      CAPTURE(path);
      ++checked;
      const bool exists =
          fs::exists(fs::path(KATA_SOURCE_DIR) / path) || fs::exists(page.parent_path() / path);
      CHECK(exists);
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("the list of headers that ladders share names each of them") {
  const fs::path folder = fs::path(KATA_SOURCE_DIR) / "solutions" / "common";
  const std::string list = text_of(folder / "README.md");
  std::size_t checked = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    const std::string name = entry.path().filename();
    CAPTURE(name);
    ++checked;
    CHECK(list.find("| [" + name + "](" + name + ") |") != std::string::npos);
  }
  CHECK(checked > 20);
}

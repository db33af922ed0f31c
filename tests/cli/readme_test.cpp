// README.md shows what kata prints. Where this fails: docs/make_transcripts.py writes it again.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "desk.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::Desk;

namespace {

/// The texts between "```<language>" and "```".
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> result;
  const std::string begin = "```" + language + "\n";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    result.push_back(page.substr(at, page.find("```", at) - at));
  }
  return result;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

/// A terminal wraps long lines, a pipe does not.
std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// CLI11 lists what an option excludes in the order of addresses.
std::vector<std::string> sorted_words(const std::string& help) {
  std::vector<std::string> all = words(help);
  std::ranges::sort(all);
  return all;
}

}  // namespace

TEST_CASE("the checks in README.md print what it says") {
  const std::string readme = kata::test::content_of(fs::path(KATA_SOURCE_DIR) / "README.md");
  const std::vector<std::string> codes = blocks(readme, "c++"), shown = blocks(readme, "console");
  REQUIRE(codes.size() == 1);
  REQUIRE(shown.size() == 2);

  const Desk desk;
  const std::string stub = kata::test::content_of(desk.exercise("relu"));
  const auto check = [&](const std::string& code) {
    desk.write("relu", replaced(stub, "  // your code\n", code));
    const Desk::Environment as_typed{{"CUDA_VISIBLE_DEVICES", ""}, {"KATA_LARGE_CASES", ""}};
    const std::string printed = desk.start({"check", "relu", "--seed", "1"}, {}, as_typed).output;
    return "$ harness/kata check relu --seed 1\n" + printed;
  };
  const std::string fails = check(codes[0]);
  const std::string passes = check(replaced(codes[0], "  y[i]", "  if (i < n) y[i]"));
  INFO(fails);
  INFO(passes);
  CHECK(words(fails) == words(shown[0]));
  CHECK(words(passes) == words(shown[1]));
}

TEST_CASE("docs/reading.md shows the times that kata show prints") {
  const auto page = kata::test::content_of(fs::path(KATA_SOURCE_DIR) / "docs/reading.md");
  const std::size_t begin = page.find("  8192x4096 on "), end = page.find("```", begin);
  REQUIRE(begin != std::string::npos);
  CHECK(contains(Desk().start({"show", "softmax_rows"}).output, page.substr(begin, end - begin)));
}

TEST_CASE("docs/commands.md has what --help prints, for every command") {
  const auto page = kata::test::content_of(fs::path(KATA_SOURCE_DIR) / "docs/commands.md");
  const Desk desk;
  const std::vector<std::string> shown = blocks(page, "text");
  const std::string all = desk.start({"--help"}).output;
  REQUIRE_FALSE(shown.empty());
  CHECK(words(shown[0]) == words(all));
  std::istringstream lines(all.substr(all.find("Subcommands:")));
  std::size_t i = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    REQUIRE(++i < shown.size());
    CHECK(page.find("## kata " + name + "\n\n```text\n" + shown[i]) != std::string::npos);
    INFO(name);
    CHECK(sorted_words(shown[i]) == sorted_words(desk.start({name, "--help"}).output));
  }
  CHECK(i + 1 == shown.size());
}

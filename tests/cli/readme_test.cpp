// README.md shows what kata prints. Where this fails: docs/make_transcripts.py writes it again.
#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "desk.h"

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

}  // namespace

TEST_CASE("the checks in README.md print what it says") {
  const std::string readme =
      kata::test::content_of(std::filesystem::path(KATA_SOURCE_DIR) / "README.md");
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

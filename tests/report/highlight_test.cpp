#include "report/text/highlight.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "scratch.h"

using namespace kata;

namespace {

/// The styles of a line's words, blanks left out.
Style style_of(const CodeLine& line, const std::string& word) {
  for (const Span& span : line) {
    if (span.text.find(word) != std::string::npos) return span.style;
  }
  FAIL("no " << word);
  return Style::plain;
}

}  // namespace

TEST_CASE("every rung is coloured without losing a letter") {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(KATA_SOURCE_DIR "/solutions")) {
    if (entry.path().extension() != ".cu") continue;
    const std::string source = test::content_of(entry.path());
    std::string joined, plain;
    for (const CodeLine& line : highlight(source)) {
      for (const Span& span : line) joined += span.text;
      joined += "\n";
      plain += painted(line, false) + "\n";
    }
    INFO(entry.path());
    CHECK(joined == source);
    CHECK(plain == source);
    ++files;
  }
  CHECK(files > 0);
}

TEST_CASE("comments, keywords, literals and CUDA's words have colours of their own") {
  const auto lines = highlight(
      "#include <kata/kata.h>\n"
      "__global__ void k(float* y) {  // adds\n"
      "  y[threadIdx.x] = 1.0f;\n"
      "  /* two\n lines */ k<<<1, 2>>>(y);\n");
  REQUIRE(lines.size() == 5);
  CHECK(style_of(lines[0], "#include") == Style::directive);
  CHECK(style_of(lines[1], "__global__") == Style::cuda);
  CHECK(style_of(lines[1], "void") == Style::keyword);
  CHECK(style_of(lines[1], "adds") == Style::comment);
  CHECK(style_of(lines[2], "threadIdx") == Style::cuda);
  CHECK(style_of(lines[2], "1.0f") == Style::literal);
  CHECK(style_of(lines[3], "two") == Style::comment);
  CHECK(style_of(lines[4], "lines") == Style::comment);
  CHECK(style_of(lines[4], "<<<") == Style::cuda);
  CHECK(painted(lines[2], true).find("\x1b[") != std::string::npos);
}

TEST_CASE("a header comment falls into idea, prediction and measurement") {
  const Header header = header_of(
      "// The idea\n// in two lines.\n//\n// Why.\n// Prediction: twice.\n// Measured (X): 3.\n"
      "#include <a>\n// no header\n");
  CHECK(header.lines == 6);
  REQUIRE(header.paragraphs.size() == 4);
  CHECK(header.paragraphs[0] == "The idea in two lines.");
  CHECK(header.paragraphs[1] == "Why.");
  CHECK(header.paragraphs[2] == "Prediction: twice.");
  CHECK(header.paragraphs[3] == "Measured (X): 3.");
  CHECK(header_of("int a;\n").lines == 0);
}

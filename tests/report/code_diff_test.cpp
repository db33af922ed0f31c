#include "report/html/code_diff.h"
#include "report/layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace kata;

namespace {

/// The signs of the lines that are shown.
std::string signs_of(const std::string& text) {
  std::string signs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) signs += line.empty() ? ' ' : line[0];
  return signs;
}

}  // namespace

TEST_CASE("header comments and indentation are no difference") {
  const std::string before = "// The first idea.\n// Measured: 3 us.\nint a;\nint b;\n";
  const std::string after = "// Another idea.\nint a;\n  int b;\n";
  CHECK(code_diff_text(before, after, false) == "");
  CHECK(code_diff(before, after).empty());
}

TEST_CASE("what changed stands between three lines of what did not, with its line numbers") {
  std::string before = "// Header.\n", after = "// A header\n// of two lines.\n";
  for (int i = 0; i < 20; ++i) {
    before += "line " + std::to_string(i) + ";\n";
    after += i == 9 ? "line nine, now;\n" : "line " + std::to_string(i) + ";\n";
  }
  CHECK(code_diff_text(before, after, false) ==
        "  ... 6 lines alike ...\n  line 6;\n  line 7;\n  line 8;\n- line 9;\n+ line nine, now;\n"
        "  line 10;\n  line 11;\n  line 12;\n  ... 7 lines alike ...\n");
  const std::vector<DiffRow> rows = code_diff(before, after);
  const auto changed = std::find_if(rows.begin(), rows.end(), [](const DiffRow& row) {
    return row.kind == DiffRow::Kind::changed;
  });
  REQUIRE(changed != rows.end());
  CHECK(changed->before.line == 11);
  CHECK(changed->after.line == 12);
}

TEST_CASE("the words that differ are marked in lines that are much alike, and only there") {
  const std::vector<DiffRow> rows =
      code_diff("sum += row[i];\n", "sum += row[i + 1];\nwholly = different();\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].before.marks.empty());
  REQUIRE(rows[0].after.marks.size() == 1);
  CHECK(rows[0].after.marks[0] == std::pair<std::size_t, std::size_t>{13, 16});  // "+ 1"
  CHECK(rows[1].before.line == 0);
  CHECK(rows[1].after.marks.empty());
}

TEST_CASE("a piece that only moved is named as moved, a single line is not") {
  const std::string piece = "float one = first(x);\nfloat two = second(one);\n";
  const std::string middle = "a();\nb();\nc();\nd();\n";
  CHECK(signs_of(code_diff_text(piece + middle, middle + piece, false)) == "    >>");
  CHECK(signs_of(code_diff_text("float one = first(x);\n" + middle,
                                middle + "float one = first(x);\n", false))
            .find('>') == std::string::npos);
}

TEST_CASE("a brace between two changes does not tear them apart") {
  CHECK(code_diff_text("one();\n}\nf(1);\n", "two(3, 4);\n}\nanother(5);\n", false) ==
        "- one();\n- }\n- f(1);\n+ two(3, 4);\n+ }\n+ another(5);\n");
}

TEST_CASE("a line of a difference that is wider than the screen keeps its mark in every row") {
  const std::string page =
      "+   const float sum = first(x) + second(x);\n"
      "- // one two three four five\n"
      "  const float sum = first(x) + second(x);\n";
  CHECK(layout::fitted(page, 24, "+->") ==
        "+   const float sum =\n"
        "+       first(x) +\n"
        "+       second(x);\n"
        "- // one two three four\n"
        "- // five\n"
        "  const float sum =\n"
        "      first(x) +\n"
        "      second(x);\n");
  CHECK(layout::fitted("\x1b[32m+ \x1b[0m\x1b[32mone two three four five six\x1b[0m\n", 20, "+") ==
        "\x1b[32m+ \x1b[0m\x1b[32mone two three four\x1b[0m\n"
        "\x1b[32m+\x1b[0m     \x1b[32mfive six\x1b[0m\n");
}

TEST_CASE("a numbered line of code hangs below its code, and no name is broken in two") {
  CHECK(layout::fitted("  13  f<<<blocks, threads>>>(keys, distance);\n", 30) ==
        "  13  f<<<blocks,\n          threads>>>(keys,\n          distance);\n");
  CHECK(layout::fitted("\"mbarrier.arrive.expect_tx.shared::cta.b64\"\n", 40) ==
        "\"mbarrier.arrive.expect_tx.shared::\n    cta.b64\"\n");
}

TEST_CASE("paragraphs are as wide as a narrow terminal") {
  layout::narrow_to(40);
  const std::string text = layout::paragraph(std::string(60, 'a').replace(30, 1, " "), 0);
  layout::narrow_to(200);
  CHECK(text == std::string(30, 'a') + "\n" + std::string(29, 'a') + "\n");
}

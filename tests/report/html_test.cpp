// Pages as HTML: whole, escaped, and with the figures that they were given.
#include "report/html/html.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/html/views.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

/// The first tag that is not closed in its turn; empty if all are.
std::string unbalanced(const std::string& html) {
  const std::vector<std::string> empty{"!DOCTYPE", "meta", "line", "circle", "path"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos; ++at) {
    const std::size_t begin = at + 1 + (html[at + 1] == '/');
    const std::string name = html.substr(begin, html.find_first_of(" >/", begin) - begin);
    if (std::find(empty.begin(), empty.end(), name) != empty.end()) continue;
    if (html[at + 1] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

Page example() {
  Page page{.operator_name = "softmax",
            .summary = "a < b & \"c\"",
            .declaration = "void f(const float* x)",
            .size = "1000",
            .origin = "measured on X",
            .operations = 1e9,
            .counts_elements = false,
            .roof = {"X", 60e12, 4e12}};
  page.rows = {
      {.name = "1_naive",
       .path = "solutions/softmax/1_naive.cu",
       .source = "// Idea <one>.\n//\n// Prediction: slow.\nif (a < b && c > d) x = \"<b>\";\n",
       .us = 200.5,
       .of_limit = 0.25,
       .memory_bytes = 2e8},
      {.name = "2_fast",
       .path = "solutions/softmax/2_fast.cu",
       .source = "// Idea two.\nif (a <= b && c > d) x = \"<b>\";\n",
       .us = 50.1,
       .of_limit = 0.998,
       .memory_bytes = 1e8},
      {.kind = RowKind::limit, .name = "limit (copy)", .us = 50, .of_limit = 1}};
  KernelRecord kernel{.name = "k"};
  kernel.global_load = {
      .accesses = 320, .bytes = 1280, .requests = 10, .sectors = 320, .ideal_sectors = 40};
  kernel.lines = {{.file = "/elsewhere/1_naive.cu", .line = 4, .global_load = kernel.global_load}};
  page.rows[0].kernels = {kernel};
  page.rows[0].counts = {.name = "1_naive", .launches = 1, .sectors = 320, .ideal_sectors = 40};
  page.counted_case = "100";
  return page;
}

std::string html_of(const std::vector<Page>& pages) {
  const Result<std::string> html = to_html(pages);
  REQUIRE_MESSAGE(html, html.error().message);
  return *html;
}

}  // namespace

TEST_CASE("the page is whole, and every text in it is escaped") {
  const std::string html = html_of({example()});
  CHECK(unbalanced(html) == "");
  CHECK(contains(html, "a &lt; b &amp; &quot;c&quot;"));
  CHECK(contains(html, "Idea &lt;one&gt;."));
  CHECK(contains(html, "&quot;&lt;b&gt;&quot;"));
  CHECK_FALSE(contains(html, "<b>\""));
  CHECK(unbalanced("<p><b></p>") == "</p>");  // the test of the test
}

TEST_CASE("the page fetches nothing and runs nothing") {
  const std::string html = html_of({example(), example()});
  for (const char* word : {"http:", "https:", "src=", "url(", "@import", "<script", "<link"}) {
    CAPTURE(word);
    CHECK_FALSE(contains(html, word));
  }
  CHECK(contains(html, "prefers-color-scheme: dark"));
  CHECK(contains(html, "width=device-width"));
}

TEST_CASE("the bar beside the verdict is green for a file that is right, red for another") {
  Page page = example();
  page.verdict = "Your file is right in all 10 cases.";
  page.passed = true;
  CHECK(contains(html_of({page}), "<p class=\"verdict pass\">Your file is right"));
  CHECK(contains(html_of({page}), ".verdict.pass { border-color: var(--right); }"));
  page.passed = false;
  CHECK(contains(html_of({page}), "<p class=\"verdict fail\">"));
}

TEST_CASE("every row has its bar and its point, with the figures that were given") {
  const std::string html = html_of({example()});
  CHECK(contains(html, "data-name=\"1_naive\" data-us=\"200.5\""));
  CHECK(contains(html, "style=\"width:25.00%\""));
  CHECK(contains(html, "data-name=\"limit (copy)\" data-us=\"50.0\""));
  CHECK(contains(html, "1_naive: 200.5 us, 5 per byte, 4.99 T/s, 25 % of its roof"));
  CHECK(contains(html, "a longer bar is faster"));
  CHECK_FALSE(contains(html, "Striped: an estimate"));
  Page guessed = example();
  guessed.rows[0].estimated = true;
  CHECK(contains(html_of({guessed}), "Striped: an estimate"));
}

TEST_CASE("no label of the roofline covers another, and all are inside the chart") {
  Page crowded = example();
  for (const char* name : {"3_same", "4_same", "5_same", "6_same"}) {
    crowded.rows.push_back(crowded.rows[1]);
    crowded.rows.back().name = name;
  }
  crowded.rows[0].memory_bytes = 9e8;  // at the left border, below the roof's name
  crowded.operations = 1e8;
  const nlohmann::json chart = html::roofline(crowded);
  struct Label {
    std::string text;
    double left, right, y;
  };
  std::vector<Label> labels;
  for (const char* part : {"points", "roof_names"}) {
    for (const nlohmann::json& one : chart[part]) {
      const std::string text = one["label"];
      const double x = std::stod(one["x"].get<std::string>());
      const double length = 9.0 * static_cast<double>(text.size());
      const bool end = one["end"];
      labels.push_back({text, end ? x - length : x, end ? x : x + length,
                        std::stod(one["y"].get<std::string>())});
    }
  }
  REQUIRE(labels.size() > crowded.rows.size() - 1);
  for (const Label& one : labels) {
    CAPTURE(one.text);
    CHECK(one.left >= 74);  // the axis
    CHECK(one.right <= 480);
    CHECK(std::count_if(labels.begin(), labels.end(), [&](const Label& other) {
            return one.left < other.right && other.left < one.right &&
                   std::abs(one.y - other.y) < 15;
          }) == 1);  // itself
  }
}

TEST_CASE("a text's lines have their counters, and stand beside what changed") {
  const std::string html = html_of({example()});
  CHECK(contains(html, "<span class=\"waste\">LDG 32/4, 100 %</span></td><td class=\"no\">4</td>"));
  CHECK(contains(html, "What changed since 1_naive"));
  CHECK(contains(html, "<mark>&lt;=</mark>"));
  CHECK(contains(html, "<p>Prediction: slow.</p>"));
}

TEST_CASE("several operators have an index that leads to each") {
  Page other = example();
  other.operator_name = "relu";
  const std::string html = html_of({example(), other});
  for (const char* name : {"softmax", "relu"}) {
    CHECK(contains(html, std::string("href=\"#") + name + "\""));
    CHECK(contains(html, std::string("<section id=\"") + name + "\""));
  }
}

TEST_CASE("the operator is the heading of its report once") {
  CHECK_FALSE(contains(html_of({example()}), "<h2>softmax</h2>"));
  Page other = example();
  other.operator_name = "relu";
  CHECK(contains(html_of({example(), other}), "<h2>softmax</h2>"));
}

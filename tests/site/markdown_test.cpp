// Markdown as a page of the site shows it.
#include "site/markdown.h"

#include <doctest/doctest.h>

#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

site::Document rendered(const std::string& text) {
  const Result<Templates> templates = Templates::read({"report/html", "site"});
  REQUIRE_MESSAGE(templates, templates.error().message);
  const auto resolve = [](const std::string& target) -> std::optional<std::string> {
    if (target == "gone.md") return {};
    return "page of " + target;
  };
  Result<site::Document> document = site::render_markdown(text, resolve, *templates);
  REQUIRE_MESSAGE(document, document.error().message);
  return *document;
}

}  // namespace

TEST_CASE("links of the tree lead into the site, others stay, broken ones become text") {
  const std::string html =
      rendered("[a](x.md) [b](https://example.org/) [c](#d) [`e`](gone.md) ![f](g.png)\n").html;
  CHECK(contains(html, "href=\"page%20of%20x.md\">a</a>"));
  CHECK(contains(html, "href=\"https://example.org/\">b</a>"));
  CHECK(contains(html, "href=\"#d\">c</a>"));
  CHECK(contains(html, " <code>e</code> "));
  CHECK(contains(html, "src=\"page%20of%20g.png\""));
}

TEST_CASE("headings have GitHub's anchors, each once") {
  const site::Document document = rendered("# What `it` costs, in us\n\na\n\n## Same\n\n## Same\n");
  CHECK(document.title == "What it costs, in us");
  REQUIRE(document.sections.size() == 3);
  CHECK(document.sections[0].anchor == "what-it-costs-in-us");
  CHECK(document.sections[1].anchor == "same");
  CHECK(document.sections[2].anchor == "same-1");
  CHECK(contains(document.html, "<h2><span id=\"same-1\"></span>Same</h2>"));
}

TEST_CASE("C++ is coloured and wraps; what a program prints keeps its columns") {
  const std::string html = rendered("    int x;\n\n```console\n$ kata <a>\n```\n").html;
  CHECK(
      contains(html, "<pre class=\"box wrapped\"><code><i class=\"k\">int</i> x;\n</code></pre>"));
  CHECK(contains(html, "<pre class=\"box\" tabindex=\"0\"><code>$ kata &lt;a&gt;\n</code></pre>"));
}

TEST_CASE("the search finds words of a table, but no figures") {
  const site::Document document = rendered("# t\n\n| name | us |\n|---|---|\n| relu | 12.5 |\n");
  REQUIRE(document.sections.size() == 1);
  CHECK(contains(document.sections[0].text, "relu"));
  CHECK_FALSE(contains(document.sections[0].text, "12.5"));
  CHECK(contains(document.html, "<div class=\"box table\" tabindex=\"0\">\n<table>"));
}

// The pages of `kata site`, without a browser.
#include "site/site.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "scratch.h"
#include "site/example.h"
#include "support/files.h"

namespace fs = std::filesystem;

using namespace kata;
using kata::test::contains;

namespace {

using Pages = std::map<std::string, std::string>;  // by path

Pages pages_of(const site::Site& site) {
  Pages pages;
  for (const site::File& file : site.files) pages[file.path] = file.content;
  return pages;
}

/// Made once: with attempts, so that every kind of page is there.
const Pages& pages() {
  static const Pages all = pages_of(test::site_with(test::attempts()));
  return all;
}

const std::string& page(const std::string& path) {
  REQUIRE_MESSAGE(pages().contains(path), path);
  return pages().at(path);
}

const site::Site& without_attempts() {
  static const site::Site site = test::site_with({});
  return site;
}

bool is_html(const std::string& path) {
  return path.ends_with(".html");
}

/// The values of an attribute. Not by a std::regex: that takes seconds for a site.
std::vector<std::string> values(const std::string& text, const std::string& attribute) {
  std::vector<std::string> result;
  const std::string begin = " " + attribute + "=\"";
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    result.push_back(text.substr(at, text.find('"', at) - at));
  }
  return result;
}

std::string page_of_rung(const std::string& operator_name, const Rung& rung) {
  return "solutions/" + operator_name + "/" + rung.path.filename().string() + ".html";
}

}  // namespace

TEST_CASE("every operator and every rung has a page that others lead to") {
  REQUIRE(!problems().empty());
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    CHECK(contains(page("index.html"), "href=\"exercises/" + problem.name + "/index.html\""));
    const std::string own = page("exercises/" + problem.name + "/index.html");
    CHECK(contains(own, "<h1>"));
    REQUIRE(!ladder(problem.name).empty());
    for (const Rung& rung : ladder(problem.name)) {
      CAPTURE(rung.name);
      CHECK(contains(own, rung.path.filename().string() + ".html\">" + rung.name));
      CHECK(contains(page(page_of_rung(problem.name, rung)), "extern"));
    }
  }
}

TEST_CASE("a link leads to a page of the site, and to a place that is there") {
  std::map<std::string, std::set<std::string>> ids;
  for (const auto& [name, text] : pages()) {
    const std::string& path = name;  // clang++ 14 captures no structured binding
    if (!is_html(path)) continue;
    for (const std::string& id : values(text, "id")) {
      const bool is_new = ids[path].insert(id).second;
      CHECK_MESSAGE(is_new, path, " has #", id, " twice");
    }
  }
  std::size_t checked = 0;
  std::set<std::string> bad;
  for (const auto& [path, text] : pages()) {
    if (!is_html(path)) continue;
    std::vector<std::string> targets = values(text, "href");
    for (const std::string& source : values(text, "src")) targets.push_back(source);
    for (const std::string& target : targets) {
      if (target.starts_with("https://") || target.starts_with("http://")) continue;
      const std::size_t hash = std::min(target.find('#'), target.size());
      const std::string file = hash == 0 ? path
                                         : (fs::path(path).parent_path() / target.substr(0, hash))
                                               .lexically_normal()
                                               .generic_string();
      const bool has_place = hash == target.size() ||
                             (ids.contains(file) && ids[file].contains(target.substr(hash + 1)));
      if (!pages().contains(file) || !has_place) bad.insert(path + " -> " + target);
      ++checked;
    }
  }
  CHECK(checked > 1000);
  for (const std::string& link : bad) FAIL_CHECK(link);
}

TEST_CASE("no document links to what the tree does not have") {
  CHECK(!without_attempts().files.empty());
  for (const std::string& link : without_attempts().broken_links) FAIL_CHECK(link);
}

TEST_CASE("each page is smaller than 300 kB") {
  for (const auto& [name, text] : pages()) {
    const std::string& path = name;  // clang++ 14 captures no structured binding
    CAPTURE(path);
    if (is_html(path)) CHECK(text.size() < 300'000);
  }
}

TEST_CASE("every line of a rung has an address") {
  for (const Problem& problem : problems()) {
    const Rung rung = ladder(problem.name).back();
    CAPTURE(rung.path);
    const std::string text = test::content_of(rung.path);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    const auto ids = values(page(page_of_rung(problem.name, rung)), "id");
    CHECK(lines == std::count_if(ids.begin(), ids.end(),
                                 [](const std::string& id) { return id[0] == 'L'; }));
  }
}

TEST_CASE("hints and answers are behind a click, and the search does not show them") {
  const std::string text = page("exercises/relu/index.html");
  std::size_t hints = 0;
  for (std::size_t at = 0; (at = text.find("</span>Hint ", at)) != std::string::npos; ++at) {
    ++hints;
    const std::size_t heading_end = text.find("</h3>", at);
    CHECK(text.compare(heading_end, 15, "</h3>\n<details>") == 0);
  }
  CHECK(hints == 3);
  CHECK(contains(page("search.js"), "\"relu: Hint 1\""));
  const std::size_t entry = page("search.js").find("\"relu: Hint 1\"");
  const std::size_t end = page("search.js").find("],[", entry);
  CHECK(page("search.js").substr(end - 5, 5) == ",true");
}

TEST_CASE("an answer of the quiz is behind a click") {
  const std::string text = page("docs/quiz/warps.html");
  const auto times = [&](const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(times("</h2>") > 5);
  CHECK(times("</h2>\n<details><summary>Answer</summary>") == times("</h2>"));
  CHECK(times("</details>") == times("</h2>"));
}

TEST_CASE("the first page lists the operators in the order of learning, with filters") {
  const std::string text = page("index.html");
  const auto place = [&](const std::string& name) {
    return text.find("exercises/" + name + "/index.html");
  };
  CHECK(place("add") < place("relu"));
  CHECK(place("relu") < place("adamw"));
  CHECK(contains(text, "<option>inference</option>"));
  CHECK(contains(text, "<option>reduction</option>"));
  CHECK(contains(text, "difficulty: "));
}

TEST_CASE("measured times are bars that lead to their rungs, beside the roofline") {
  const std::string text = page("exercises/softmax_rows/index.html");
  CHECK(contains(text, "<svg class=\"roofline\""));
  CHECK(contains(text, "data-name=\"limit (copy)\""));
  CHECK(contains(text, "<summary>Times at 4096x1024</summary>"));
  CHECK(contains(text, "<a href=\"../../solutions/softmax_rows/1_thread_per_row.cu.html\">1_"));
  CHECK(contains(page("solutions/softmax_rows/2_warp_per_row.cu.html"), "id=\"change\""));
}

TEST_CASE("your attempts: the newest 30 of an operator, escaped; none if they are not wanted") {
  CHECK(contains(page("mine/relu/index.html"), "The newest 30 of 40."));
  CHECK(pages().contains("mine/relu/40.html"));
  CHECK(!pages().contains("mine/relu/10.html"));
  CHECK(contains(page("mine/relu/40.html"), "&lt;script&gt;"));
  CHECK(contains(page("mine/relu/40.html"), "What changed since <a href=\"39.html\">attempt 39"));
  CHECK(contains(page("exercises/relu/index.html"), "href=\"../../mine/relu/index.html\""));
  for (const auto& [name, text] : pages_of(without_attempts())) {
    const std::string& path = name;  // clang++ 14 captures no structured binding
    CAPTURE(path);
    CHECK_FALSE(path.starts_with("mine/"));
    if (is_html(path)) CHECK_FALSE(contains(text, "mine/"));
  }
}

TEST_CASE("an attempt's finding leads to its line") {
  CHECK(contains(page("mine/relu/40.html"), "<a href=\"#L2\">Line 2</a>: error: race: x &amp; y"));
}

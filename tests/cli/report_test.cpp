// kata report, as a person starts it and as a browser shows it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "desk.h"
#include "problems/spec/problem.h"
#include "skip.h"
#include "timing/measured_times.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Desk;

namespace {

constexpr double limit_s = 300;  // it judges the person's file and counts every rung

/// In a frame of that width, every part opened: by how much the page can be scrolled sideways
/// there.
std::string in_a_frame(const std::string& html, int width) {
  std::string text = html;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"<details", "<details open"},
                                 {"&", "&amp;"},
                                 {"\"", "&quot;"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return "<!DOCTYPE html><body><iframe style=\"border:0;height:800px;width:" +
         std::to_string(width) + "px\" srcdoc=\"" + text +
         "\" onload=\"const page = this.contentDocument.documentElement; "
         "document.body.setAttribute('data-sideways', page.scrollWidth - page.clientWidth)\">"
         "</iframe></body>";
}

}  // namespace

TEST_CASE("a report into a folder that is not there is refused at once, and makes none") {
  const Desk desk;
  const fs::path folder = desk.scratch / "nowhere";
  const auto refused = desk.start({"report", "relu", "--out", (folder / "page.html").string()});
  CHECK(refused.exit_status == 2);
  CHECK(contains(refused.errors, "there is no folder "));
  CHECK(kata::test::count_lines(refused.errors) == 1);
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("a report holds every rung, library and limit with the times that are kept") {
  const Desk desk(limit_s);
  const kata::Finished finished =
      desk.start({"report", "transpose", "--out", (desk.scratch / "page.html").string()});
  REQUIRE_MESSAGE(finished.exit_status == 0, finished.errors);
  CHECK(contains(finished.output, "page.html"));
  const std::string html = content_of(desk.scratch / "page.html");
  const auto kept = kata::measured_times(*kata::find_problem("transpose"));
  REQUIRE(kept);
  const auto rows = kata::rows_at(kept->rows, "4096x4096");
  CHECK(rows.size() >= desk.rungs("transpose").size() + 2);  // a library and the limit
  for (const kata::TimingRow& row : rows) {
    CAPTURE(row.name);
    char us[32];
    std::snprintf(us, sizeof us, "%.1f", row.median_us);
    CHECK(contains(html, "data-name=\"" + row.name + "\" data-us=\"" + us + "\""));
  }
  CHECK(contains(html, "measured on " + kept->device + ", " + kept->date));
  CHECK(contains(html, "LDS 30.1/1 32-way"));          // the conflict in 3_shared_tile, at its line
  CHECK_FALSE(contains(html, "data-name=\"yours\""));  // a stub has nothing to show
}

TEST_CASE("one's own file is in the report, with an estimate that says that it is one") {
  const Desk desk(limit_s);
  fs::copy_file(desk.scratch / "tree/solutions/relu/2_several_per_thread.cu",
                desk.scratch / "tree/exercises/relu/relu.cu", fs::copy_options::overwrite_existing);
  const kata::Finished finished =
      desk.start({"report", "relu", "--out", (desk.scratch / "page.html").string()});
  REQUIRE_MESSAGE(finished.exit_status == 0, finished.errors);
  const std::string html = content_of(desk.scratch / "page.html");
  // A copy of a rung has that rung's time: all bars are on the basis of what was measured.
  const auto kept = kata::measured_times(*kata::find_problem("relu"));
  REQUIRE(kept);
  const auto rows =
      kata::rows_at(kept->rows, kata::to_string(kata::find_problem("relu")->bench_shapes.at(0)));
  const kata::TimingRow* const rung = kata::find_row(rows, "2_several_per_thread");
  REQUIRE(rung);
  char us[32];
  std::snprintf(us, sizeof us, "%.1f", rung->median_us);
  CHECK(contains(html, std::string("<li class=\"yours estimated\" data-name=\"yours\" data-us=\"") +
                           us + "\""));
  CHECK(contains(html, "Your file is right in all"));
  CHECK(contains(html, "exercises/relu/relu.cu"));
  REQUIRE(desk.start({"report", "relu", "--out", (desk.scratch / "tree").string()}).exit_status ==
          0);
  CHECK(fs::exists(desk.scratch / "tree/relu.html"));
}

TEST_CASE("--open starts the desktop's opener, and without one a line says what to do") {
  const Desk desk(limit_s);
  const std::string page = desk.scratch / "page.html", seen = desk.scratch / "seen";
  const std::string path = (desk.scratch / "bin").string() + ":/usr/bin:/bin";
  desk.scratch.write_program("bin/xdg-open", "#!/bin/sh\necho \"$1\" >'" + seen + "'\n");
  const kata::Finished shown =
      desk.start({"report", "relu", "--out", page, "--open"}, "", {{"PATH", path}});
  CHECK(shown.exit_status == 0);
  CHECK(content_of(seen) == page + "\n");
  desk.scratch.write_program("bin/xdg-open", "#!/bin/sh\nexit 3\n");
  const kata::Finished failed =
      desk.start({"report", "relu", "--out", page, "--open"}, "", {{"PATH", path}});
  CHECK(failed.exit_status == 2);
  CHECK(contains(failed.errors, "in a browser"));
}

TEST_CASE("on a phone the page does not scroll sideways") {
  const fs::path chromium = kata::find_program("chromium");
  if (chromium.empty()) return kata::test::skip("Chromium is not installed");
  const Desk desk(limit_s);
  const std::string page = desk.scratch / "page.html";
  REQUIRE(desk.start({"report", "sgemv", "--out", page}).exit_status == 0);
  for (const int width : {390, 1280}) {
    desk.scratch.write("frame.html", in_a_frame(content_of(page), width));
    const auto dumped = kata::run(
        {.arguments = {chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                       "--user-data-dir=" + (desk.scratch / "profile").string(),
                       "file://" + (desk.scratch / "frame.html").string()},
         .time_limit_s = 120,
         .output_limit = 8 << 20});
    REQUIRE(dumped);
    CHECK(contains(dumped->output, "data-sideways=\"0\""));
  }
}

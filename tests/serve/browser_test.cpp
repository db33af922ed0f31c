// The page in a real browser, with real keystrokes: an exercise from the first letter to the pass,
// another editor, another start of the server, drills, an interview; widths, accessibility and the
// pictures of docs/page.md.
#include <cstdio>
#include <filesystem>

#include "serve/served.h"
#include "skip.h"
#include "support/process.h"

namespace fs = std::filesystem;

using namespace kata;

TEST_SUITE_BEGIN("slow");

TEST_CASE("in Chromium: an exercise is written, mended and passes; drills and an interview end") {
  const fs::path chromium = find_program("chromium"), node = find_program("node"),
                 npm = find_program("npm");
  if (chromium.empty() || node.empty() || npm.empty())
    return test::skip("needs chromium, node and npm");
  const fs::path source = fs::path(KATA_SOURCE_DIR) / "tests/serve/browser";
  const fs::path tools = fs::path(KATA_BINARY_DIR) / "serve_browser";  // kept: npm is slow
  fs::create_directories(tools);
  fs::copy(source, tools, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
  const auto installed = run({.arguments = {npm, "install", "--no-package-lock", "--no-audit",
                                            "--no-fund", "--loglevel=error"},
                              .folder = tools,
                              .time_limit_s = 300});
  REQUIRE(installed);
  if (installed->exit_status != 0) return test::skip("npm cannot install playwright-core");

  // The script starts the server itself, and kills it.
  const test::Desk desk;
  const auto finished = run({.arguments = {node, "browser.mjs", chromium, KATA_BINARY_DIR "/kata",
                                           desk.exercise("relu"), tools},
                             .environment = desk.environment(),
                             .folder = tools,
                             .time_limit_s = 900});
  REQUIRE(finished);
  std::printf("%s", finished->output.c_str());
  CHECK_MESSAGE(finished->exit_status == 0, finished->errors);
}

TEST_SUITE_END();

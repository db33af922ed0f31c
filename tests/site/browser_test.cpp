// The site in a real browser: links, search, keys, widths, labels, accessibility.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>

#include "scratch.h"
#include "site/example.h"
#include "skip.h"
#include "support/process.h"

namespace fs = std::filesystem;

using namespace kata;

TEST_SUITE_BEGIN("slow");

TEST_CASE("in Chromium, 390 and 1280 pixels wide, light and dark: the site can be used") {
  const fs::path chromium = find_program("chromium"), node = find_program("node"),
                 npm = find_program("npm");
  if (chromium.empty() || node.empty() || npm.empty())
    return test::skip("needs chromium, node and npm");
  const fs::path source = fs::path(KATA_SOURCE_DIR) / "tests/site/browser";
  const fs::path tools = fs::path(KATA_BINARY_DIR) / "site_browser";  // kept: npm is slow
  fs::create_directories(tools);
  for (const char* name : {"package.json", "browser.mjs"})
    fs::copy_file(source / name, tools / name, fs::copy_options::overwrite_existing);
  const auto installed = run({.arguments = {npm, "install", "--no-package-lock", "--no-audit",
                                            "--no-fund", "--loglevel=error"},
                              .folder = tools,
                              .time_limit_s = 300});
  REQUIRE(installed);
  if (installed->exit_status != 0) return test::skip("npm cannot install playwright-core");

  const test::Scratch scratch;
  for (const site::File& file : test::site_with(test::attempts()).files)
    scratch.write(file.path, file.content);
  const auto finished = run({.arguments = {node, "browser.mjs", chromium, scratch.path()},
                             .folder = tools,
                             .time_limit_s = 1500});
  REQUIRE(finished);
  std::printf("%s", finished->output.c_str());
  CHECK_MESSAGE(finished->exit_status == 0, finished->errors);
}

TEST_SUITE_END();

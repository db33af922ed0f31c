#include "support/diff.h"

#include <doctest/doctest.h>

#include "scratch.h"
#include "skip.h"
#include "support/process.h"

using kata::unified_diff;
using kata::test::content_of;
using kata::test::Scratch;

TEST_CASE("texts that are alike have no difference") {
  CHECK(unified_diff("", "") == "");
  CHECK(unified_diff("a\nb", "a\nb") == "");
}

TEST_CASE("a difference shows what changed and three lines around it") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  CHECK(unified_diff("", "new\n") == "@@ -0,0 +1 @@\n+new\n");
  CHECK(unified_diff("old", "") == "@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n");
}

TEST_CASE("patch makes the one text of the other") {
  if (kata::find_program("patch").empty()) return kata::test::skip("patch is not installed");
  unsigned state = 1;
  const auto random = [&](unsigned below) {
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
  };
  for (int round = 0; round < 50; ++round) {
    std::string before, after;
    for (unsigned i = 0, lines = random(60); i < lines; ++i) {
      const std::string line = std::to_string(random(9)) + "\n";
      const unsigned fate = random(10);
      if (fate != 0) before += line;
      if (fate != 1) after += fate == 2 ? "changed\n" : line;
    }
    const Scratch scratch;
    scratch.write("text", before);
    scratch.write("diff", "--- text\n+++ text\n" + unified_diff(before, after));
    if (before == after) continue;
    const auto patched =
        kata::run({.arguments = {"patch", "-s", scratch / "text", scratch / "diff"}});
    REQUIRE(patched);
    CAPTURE(content_of(scratch / "diff"));
    REQUIRE(patched->exit_status == 0);
    REQUIRE(content_of(scratch / "text") == after);
  }
}

TEST_CASE("two long texts with nothing in common are compared at once") {
  std::string before, after;
  for (int i = 0; i < 20'000; ++i) {
    before += std::to_string(i) + "\n";
    after += "x" + std::to_string(i) + "\n";
  }
  CHECK(unified_diff(before, after).starts_with("@@ -1,20000 +1,20000 @@\n-0\n-1\n"));
}

// `kata site` as a person types it.
#include <doctest/doctest.h>

#include "desk.h"

namespace fs = std::filesystem;

using namespace kata;
using kata::test::contains;

TEST_CASE("a site is written, and written again; attempts that are no longer wanted are removed") {
  const test::Desk desk;
  desk.write("relu", "no C++\n");  // kept all the same, and soon judged
  desk.start({"check", "relu", "--backend", "emulator"});
  const fs::path out = desk.scratch / "site";
  const Finished first = desk.start({"site", "--mine", "--out", out});
  CHECK_MESSAGE(first.exit_status == 0, first.errors);
  CHECK(contains(first.output, "Wrote "));
  CHECK(fs::exists(out / "mine/relu/1.html"));
  CHECK(fs::exists(out / "exercises/relu/index.html"));
  CHECK(fs::exists(out / "docs/reading.html"));  // docs/ of the desk is a symbolic link

  desk.scratch.write("site/note.txt", "mine");
  const Finished second = desk.start({"site", "--out", out});
  CHECK_MESSAGE(second.exit_status == 0, second.errors);
  CHECK_FALSE(fs::exists(out / "mine/relu/1.html"));
  CHECK(fs::exists(out / "exercises/relu/index.html"));
  CHECK(test::content_of(out / "note.txt") == "mine");
}

TEST_CASE("a folder with other files is left alone") {
  const test::Desk desk;
  desk.scratch.write("precious/index.html", "mine");
  const Finished finished = desk.start({"site", "--out", desk.scratch / "precious"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "give --out an empty folder"));
  CHECK(test::content_of(desk.scratch / "precious/index.html") == "mine");
  const Finished file = desk.start({"site", "--out", desk.scratch / "precious/index.html"});
  CHECK(file.exit_status == 2);
  CHECK(contains(file.errors, "is not a folder"));
  CHECK(desk.start({"site"}).exit_status == 2);
}

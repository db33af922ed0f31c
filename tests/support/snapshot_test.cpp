#include "snapshot.h"

#include <doctest/doctest.h>

#include "scratch.h"

namespace fs = std::filesystem;
using kata::test::content_of;
using kata::test::Scratch;
using kata::test::Snapshot;

TEST_CASE("the next test's tree is untouched, whatever the one before did to it") {
  const Scratch scratch;
  scratch.write("tree/kept", "kept");
  scratch.write("tree/changed", "before");
  scratch.write("tree/folder/lost", "lost");
  scratch.write("tree/folder/empty", "");
  scratch.write("tree/mode", "mode");
  scratch.write("elsewhere/file", "elsewhere");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "tree/link");
  const Snapshot untouched(scratch / "tree");
  const auto kept_since = fs::last_write_time(scratch / "tree/kept");

  scratch.write("tree/changed", "after!");
  scratch.write("tree/added/more", "more");
  fs::remove_all(scratch / "tree/folder");
  fs::permissions(scratch / "tree/mode", fs::perms::owner_read);
  fs::remove(scratch / "tree/link");
  scratch.write("tree/link/file", "its own");
  untouched.restore(scratch / "tree");

  CHECK(content_of(scratch / "tree/changed") == "before");
  CHECK(content_of(scratch / "tree/folder/lost") == "lost");
  CHECK(fs::is_empty(scratch / "tree/folder/empty"));
  CHECK_FALSE(fs::exists(scratch / "tree/added"));
  CHECK((fs::status(scratch / "tree/mode").permissions() & fs::perms::owner_write) != fs::perms{});
  CHECK(fs::is_symlink(scratch / "tree/link"));
  CHECK(content_of(scratch / "tree/link/file") == "elsewhere");
  CHECK(fs::last_write_time(scratch / "tree/kept") == kept_since);
}

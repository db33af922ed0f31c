// What a newcomer finds in a clone.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "skip.h"
#include "support/files.h"

namespace fs = std::filesystem;

TEST_CASE("no exercise is committed solved") {
  if (!std::getenv("CI")) return kata::test::skip("exercises are yours to solve; CI looks at them");
  int exercises = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(KATA_SOURCE_DIR) / "exercises")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename();
    CAPTURE(name);
    const auto stub = kata::read_file(entry.path() / ".stub.cu");
    REQUIRE(stub);
    CHECK(kata::read_file(entry.path() / (name + ".cu")) == stub);
    ++exercises;
  }
  REQUIRE(exercises > 0);
}

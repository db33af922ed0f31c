// Texts that a fuzzer found its way with, and those that once did harm, replayed.

#include <doctest/doctest.h>

#include <filesystem>

#include "fuzz/targets.h"
#include "scratch.h"

namespace fs = std::filesystem;

TEST_CASE("each of our readers returns, for any text") {
  const fs::path corpus = fs::path(KATA_SOURCE_DIR) / "tests" / "fuzz" / "corpus";
  for (const kata::fuzz::Target& target : kata::fuzz::targets) {
    CAPTURE(target.name);
    int replayed = 0;
    for (const auto& file : fs::directory_iterator(corpus / target.name)) {
      CAPTURE(file.path());
      target.run(kata::test::content_of(file.path()));
      ++replayed;
    }
    CHECK(replayed >= 5);
  }
}

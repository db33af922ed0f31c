// Texts that a fuzzer found its way with, and those that once did harm, replayed. corpus/ has a
// file for each target, with a line ---- between two texts.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "fuzz/targets.h"
#include "scratch.h"

namespace fs = std::filesystem;

TEST_CASE("each of our readers returns, for any text") {
  const fs::path corpus = fs::path(KATA_SOURCE_DIR) / "tests" / "fuzz" / "corpus";
  const std::string separator = "\n----\n";
  for (const kata::fuzz::Target& target : kata::fuzz::targets) {
    CAPTURE(target.name);
    const std::string texts = kata::test::content_of(corpus / target.name);
    int replayed = 0;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + separator.size()) {
      end = texts.find(separator, begin);
      const std::string text = texts.substr(begin, end - begin);
      CAPTURE(text);
      target.run(text);
      ++replayed;
    }
    CHECK(replayed >= 5);
  }
}

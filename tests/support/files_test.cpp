#include "support/files.h"

#include <doctest/doctest.h>

#include <sstream>

#include "scratch.h"

using kata::test::Scratch;

TEST_CASE("a file is read whole: long ones, empty ones, and zeros in them") {
  const Scratch scratch;
  for (const std::size_t size : {0u, 1u, (1u << 14) - 1, 1u << 14, (1u << 14) + 1, 100000u}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i);
    CHECK(kata::read_file(scratch.write("file", text)) == text);
    std::istringstream stream(text);
    CHECK(kata::read_rest(stream) == text);
  }
}

TEST_CASE("what is no file has no content") {
  const Scratch scratch;
  CHECK_FALSE(kata::read_file(scratch.path()));
  CHECK_FALSE(kata::read_file(scratch / "nothing"));
}

#pragma once
#include <doctest/doctest.h>

#include <string>

#include "scratch.h"
#include "support/process.h"

namespace kata::test {

/// Exit status 2, or the one that is given, nothing on standard output, and one line that holds
/// `part`.
inline void check_one_line(const Finished& finished, const std::string& part, int status = 2) {
  CHECK(finished.exit_status == status);
  CHECK(finished.output == "");
  CHECK(count_lines(finished.errors) == 1);
  INFO(finished.errors);
  CHECK(contains(finished.errors, part));
}

}  // namespace kata::test

#pragma once
// The site of this tree, with attempts of somebody.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "site/site.h"

namespace kata::test {

inline std::vector<Attempt> attempts() {
  std::vector<Attempt> result;
  for (int i = 1; i <= 40; ++i) {
    result.push_back({.id = i,
                      .operator_name = "relu",
                      .at = Time(std::chrono::milliseconds(1'700'000'000'000 + i)),
                      .verdict = i % 2 ? Verdict::fail : Verdict::pass,
                      .text = "// attempt " + std::to_string(i) + "\nint x = 1 < 2; // <script>\n",
                      .findings = {}});
  }
  result.back().findings = {{.kind = FindingKind::race, .line = 2, .message = "x & y"}};
  return result;
}

inline site::Site site_with(const std::optional<std::vector<Attempt>>& mine) {
  Result<site::Site> made = site::make_site(mine);
  REQUIRE_MESSAGE(made, made.error().message);
  return std::move(*made);
}

}  // namespace kata::test

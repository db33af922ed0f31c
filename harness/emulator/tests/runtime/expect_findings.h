#pragma once
// What tests of findings ask.

#include <doctest/doctest.h>

#include <string>

#include "emulator/tests/runtime/kernels.h"

namespace kernels {

/// The one finding that there is.
inline Finding only_finding() {
  const auto findings = kata::emulator::take_findings();
  for (const Finding& finding : findings) INFO(to_string(finding.kind) << ": " << finding.message);
  REQUIRE(findings.size() == 1);
  return findings[0];
}

inline bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("not in: " << text);
  return found;
}

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace kernels

#pragma once
// One fault of a kernel or of the host code that launches it.

#include <string>

namespace kata::emulator {

enum class FindingKind {
  integer_overflow,
  race,
  out_of_bounds,
  uninitialized,
  barrier_divergence,
  deadlock,
  misaligned,
  invalid_launch,
  cuda_error,
  input_modified,
  unsupported,
  timeout,
};

/// "race", "out_of_bounds", ...: the enumerator's name.
constexpr const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::integer_overflow:
      return "integer_overflow";
    case FindingKind::race:
      return "race";
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::uninitialized:
      return "uninitialized";
    case FindingKind::barrier_divergence:
      return "barrier_divergence";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::invalid_launch:
      return "invalid_launch";
    case FindingKind::cuda_error:
      return "cuda_error";
    case FindingKind::input_modified:
      return "input_modified";
    case FindingKind::unsupported:
      return "unsupported";
    case FindingKind::timeout:
      return "timeout";
  }
  return "";
}

enum class Severity { error, warning };

struct Finding {
  FindingKind kind;
  Severity severity = Severity::error;
  std::string file = {};     ///< empty where there is none
  int line = 0;              ///< 0 where there is none
  std::string kernel = {};   ///< empty for host code
  std::string message = {};  ///< what happened, in one line
  std::string note = {};     ///< what to look for; empty where the message says it all
  std::string object = {};   ///< the variable or function of that line; empty if unknown
};

}  // namespace kata::emulator

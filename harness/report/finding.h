#pragma once
// One thing that the emulator, the judge or the process around them noticed.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/spec/case.h"

namespace kata {

/// In the order in which a report shows them: what ended the run, what is wrong in it, its effects,
/// and then advice.
enum class FindingKind {
  crash,    ///< the process died
  timeout,  ///< the process never came back
  unsupported,
  integer_overflow,  ///< the cause of what follows
  invalid_launch,
  out_of_bounds,
  misaligned,
  deadlock,
  barrier_divergence,
  race,
  uninitialized,
  cuda_error,
  input_modified,
  host_computation,  ///< the result comes from the CPU
  nondeterministic,
  output_incomplete,
  invalid_timing,  ///< right when it is judged, but what is timed is not the work
  leak,
  bank_conflict,
  uncoalesced,
  contention,
  divergence,
  reread,
};

enum class Severity { error, warning, advice };

/// The name in the text and in the JSON: "out_of_bounds", "error".
const char* to_string(FindingKind kind);
const char* to_string(Severity severity);

/// All names of kinds, in their order.
std::span<const char* const> finding_kind_names();

/// Back from that name; nothing for any other.
std::optional<FindingKind> finding_kind_from(std::string_view name);
std::optional<Severity> severity_from(std::string_view name);

struct Finding {
  FindingKind kind;
  Severity severity = Severity::error;
  std::string file = {};  ///< empty where there is none
  int line = 0;           ///< 0 where there is none
  int column = 0;         ///< from 1; 0 where there is none
  std::string kernel = {};
  std::string message;               ///< what happened, in one line
  std::string note = {};             ///< what to look for; empty where the message says it all
  std::string object = {};           ///< the variable or function of that line; empty if unknown
  std::optional<Case> seen_in = {};  ///< the first case that showed it; none where none was judged
};

/// The order in which findings explain a failure: errors first, then by kind.
bool is_nearer_to_cause(const Finding& a, const Finding& b);

/// Of severity error the one nearest to the cause, the first of its kind; or null.
const Finding* first_error(const std::vector<Finding>& findings);

/// True if one of them is of that kind.
bool has_kind(const std::vector<Finding>& findings, FindingKind kind);

}  // namespace kata

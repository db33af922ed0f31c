#include "report/finding.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kata {
namespace {

// In the order of the enumerators.
constexpr std::array<const char*, 23> kind_names = {"crash",
                                                    "timeout",
                                                    "unsupported",
                                                    "integer_overflow",
                                                    "invalid_launch",
                                                    "out_of_bounds",
                                                    "misaligned",
                                                    "deadlock",
                                                    "barrier_divergence",
                                                    "race",
                                                    "uninitialized",
                                                    "cuda_error",
                                                    "input_modified",
                                                    "host_computation",
                                                    "nondeterministic",
                                                    "output_incomplete",
                                                    "invalid_timing",
                                                    "leak",
                                                    "bank_conflict",
                                                    "uncoalesced",
                                                    "contention",
                                                    "divergence",
                                                    "reread"};
constexpr std::array<const char*, 3> severity_names = {"error", "warning", "advice"};

static_assert(kind_names.size() == static_cast<std::size_t>(FindingKind::reread) + 1);
static_assert(severity_names.size() == static_cast<std::size_t>(Severity::advice) + 1);

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<const char*, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

const char* to_string(FindingKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

const char* to_string(Severity severity) {
  return severity_names[static_cast<std::size_t>(severity)];
}

std::span<const char* const> finding_kind_names() {
  return kind_names;
}

std::optional<FindingKind> finding_kind_from(std::string_view name) {
  return value_of<FindingKind>(kind_names, name);
}

std::optional<Severity> severity_from(std::string_view name) {
  return value_of<Severity>(severity_names, name);
}

bool is_nearer_to_cause(const Finding& a, const Finding& b) {
  return std::pair(a.severity, a.kind) < std::pair(b.severity, b.kind);
}

const Finding* first_error(const std::vector<Finding>& findings) {
  const auto found = std::ranges::min_element(findings, is_nearer_to_cause);
  return found == findings.end() || found->severity != Severity::error ? nullptr : &*found;
}

bool has_kind(const std::vector<Finding>& findings, FindingKind kind) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& one) { return one.kind == kind; });
}

}  // namespace kata

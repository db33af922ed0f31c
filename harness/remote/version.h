#pragma once
// Whether two machines have the same kata.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kata {

/// What decides a verdict besides the candidate.
struct HarnessVersion {
  std::string version;  ///< "0.1"
  std::string harness;  ///< a hash of the files in harness/ that count; empty where there are none

  bool operator==(const HarnessVersion&) const = default;
};

HarnessVersion this_harness();

/// "0.1 (harness 1f3a5c7e)"
std::string to_string(const HarnessVersion& version);

void to_json(nlohmann::json& json, const HarnessVersion& version);
void from_json(const nlohmann::json& json, HarnessVersion& version);

}  // namespace kata

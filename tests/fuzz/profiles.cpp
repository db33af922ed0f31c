#include <nlohmann/json.hpp>

#include "fuzz/targets.h"
#include "report/json.h"

namespace kata::fuzz {

void profiles(std::string_view line) {
  using nlohmann::json;
  try {
    const auto launches = launches_from_json(json::parse(line));
    require(launches_from_json(launches_to_json(launches)).size() == launches.size());
  } catch (const json::exception&) {
    // Damaged, which its readers expect.
  }
}

}  // namespace kata::fuzz

#include <nlohmann/json.hpp>

#include "fuzz/targets.h"
#include "report/json.h"

namespace kata::fuzz {

void profiles(std::string_view line) {
  using nlohmann::json;
  try {
    const auto launches = json::parse(line).at("launches").get<std::vector<LaunchProfile>>();
    require(json(launches).get<std::vector<LaunchProfile>>().size() == launches.size());
  } catch (const json::exception&) {
    // Damaged, which its readers expect.
  }
}

}  // namespace kata::fuzz

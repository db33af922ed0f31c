#include "timing/chip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/paths.h"

namespace kata {
namespace {

using Json = nlohmann::json;

Json read_chips() {
  const auto text = read_file(root() / "harness" / "timing" / "chips.json");
  Json chips = text ? Json::parse(*text, nullptr, false) : Json::array();
  return chips.is_array() ? chips : Json::array();
}

Chip chip_from(const Json& json) {
  const Json& room = json.at("residency");
  return {.id = json.at("id"),
          .name = json.at("name"),
          .compute_capability = json.at("compute_capability"),
          .multiprocessors = json.at("multiprocessors"),
          .clock_hz = 1e6 * json.at("clock_mhz").get<double>(),
          .fma_per_clock = json.at("fma_per_clock"),
          .memory_bytes_per_s = 1e9 * json.at("memory_gb_per_s").get<double>(),
          .l2_bytes = 1024 * json.at("l2_kib").get<double>(),
          .l1_bytes = 1024 * json.at("l1_kib").get<double>(),
          .residency = {
              .threads = room.at("threads"),
              .blocks = room.at("blocks"),
              .shared_bytes = 1024 * room.at("shared_kib").get<unsigned>(),
              .reserved_shared_bytes = 1024 * room.at("reserved_shared_kib").get<unsigned>()}};
}

}  // namespace

std::vector<std::string> chip_names() {
  std::vector<std::string> names;
  for (const Json& chip : read_chips()) names.push_back(chip.value("id", ""));
  return names;
}

Result<Chip> find_chip(const std::string& id) try {
  for (const Json& chip : read_chips()) {
    if (chip.value("id", "") == id) return chip_from(chip);
  }
  return Error{
      fmt::format("unknown chip {}; the known ones are {}", id, fmt::join(chip_names(), ", "))};
} catch (const Json::exception& broken) {
  return Error{fmt::format("harness/timing/chips.json: {}", broken.what())};
}

Result<Chip> find_chip_of(const std::string& device) {
  for (const std::string& id : chip_names()) {
    Result<Chip> chip = find_chip(id);
    if (chip && device.find(chip->name) != std::string::npos) return chip;
  }
  return Error{fmt::format("harness/timing/chips.json does not know the {}", device)};
}

}  // namespace kata

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

/// In 10^12 operations per second; a type that the chip does not multiply is not in the file.
TensorRates tensor_rates_from(const Json& json) {
  const auto rate = [&](const char* type) { return 1e12 * json.value(type, 0.0); };
  return {.f16 = rate("f16"),
          .bf16 = rate("bf16"),
          .tf32 = rate("tf32"),
          .f8 = rate("f8"),
          .i8 = rate("i8"),
          .mma_sync_share = json.value("mma_sync_share", 1.0)};
}

Chip chip_from(const Json& json) {
  const Json& room = json.at("residency");
  return {.id = json.at("id"),
          .name = json.at("name"),
          .compute_capability = json.at("compute_capability"),
          .multiprocessors = json.at("multiprocessors"),
          .clock_hz = 1e6 * json.at("clock_mhz").get<double>(),
          .fma_per_clock = json.at("fma_per_clock"),
          .tensor = tensor_rates_from(json.at("tensor_tera_operations_per_s")),
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

double operations_per_s(const Chip& chip, ArithmeticUnit unit) {
  switch (unit) {
    case ArithmeticUnit::tensor_f16:
      return chip.tensor.f16;
    case ArithmeticUnit::tensor_bf16:
      return chip.tensor.bf16;
    case ArithmeticUnit::tensor_f8:
      return chip.tensor.f8;
    case ArithmeticUnit::tensor_i8:
      return chip.tensor.i8;
    case ArithmeticUnit::fma:
      break;
  }
  return 2 * chip.fma_per_clock * chip.clock_hz * chip.multiprocessors;
}

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

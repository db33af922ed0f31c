#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace kata::emulator {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Steps, far_loads, near_loads, hidden_loads,
                                                shared_loads, warp_operations, barriers, atomics,
                                                mma, wgmma)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Touched, buffer, bytes, read_sectors,
                                                written_sectors)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MatrixWork, f16, bf16, tf32, f8, i8)

void to_json(Json& json, const LaunchProfile& profile) {
  json = {{"counts", profile.counts},
          {"blocks_run", profile.blocks_run},
          {"steps", profile.steps},
          {"longest", profile.longest},
          {"lines", profile.lines},
          {"re_reads", profile.re_reads},
          {"first_reads", profile.first_reads},
          {"thread_accesses", profile.thread_accesses},
          {"touched", profile.touched},
          {"async_copies", profile.async_copies},
          {"bulk_sectors", profile.bulk_sectors},
          {"mma", profile.mma},
          {"wgmma", profile.wgmma},
          {"matrix_instructions", profile.matrix_instructions},
          {"registers", profile.registers},
          {"shared_atomic_turns", profile.shared_atomic_turns},
          {"global_atomic_sectors", profile.global_atomic_sectors},
          {"hottest_atomics", profile.hottest_atomics},
          {"hottest_is_shared", profile.hottest_is_shared},
          {"hottest_adds_floats", profile.hottest_adds_floats}};
}

void from_json(const Json& json, LaunchProfile& profile) {
  json.at("counts").get_to(profile.counts);
  json.at("blocks_run").get_to(profile.blocks_run);
  json.at("steps").get_to(profile.steps);
  json.at("lines").get_to(profile.lines);
  json.at("re_reads").get_to(profile.re_reads);
  json.at("first_reads").get_to(profile.first_reads);
  json.at("thread_accesses").get_to(profile.thread_accesses);
  json.at("touched").get_to(profile.touched);
  profile.longest = json.value("longest", Steps{});
  profile.shared_atomic_turns = json.value("shared_atomic_turns", std::uint64_t{0});
  profile.global_atomic_sectors = json.value("global_atomic_sectors", std::uint64_t{0});
  profile.async_copies = json.value("async_copies", std::uint64_t{0});
  profile.bulk_sectors = json.value("bulk_sectors", std::uint64_t{0});
  profile.mma = json.value("mma", MatrixWork{});
  profile.wgmma = json.value("wgmma", MatrixWork{});
  profile.matrix_instructions = json.value("matrix_instructions", std::uint64_t{0});
  profile.registers = json.value("registers", 0u);
  json.at("hottest_atomics").get_to(profile.hottest_atomics);
  json.at("hottest_is_shared").get_to(profile.hottest_is_shared);
  json.at("hottest_adds_floats").get_to(profile.hottest_adds_floats);
}

}  // namespace kata::emulator

namespace kata {

nlohmann::json launches_to_json(const std::vector<LaunchProfile>& launches) {
  nlohmann::json different = nlohmann::json::array(), order = nlohmann::json::array();
  for (const LaunchProfile& launch : launches) {
    const auto found = std::find(different.begin(), different.end(), nlohmann::json(launch));
    order.push_back(found - different.begin());
    if (found == different.end()) different.push_back(launch);
  }
  const bool is_repeated = different.size() < launches.size();
  nlohmann::json json{{"launches", std::move(different)}};
  if (is_repeated) json["order"] = std::move(order);
  return json;
}

std::vector<LaunchProfile> launches_from_json(const nlohmann::json& json) {
  auto different = json.at("launches").get<std::vector<LaunchProfile>>();
  if (!json.contains("order")) return different;
  std::vector<LaunchProfile> launches;
  for (const std::size_t i : json.at("order")) {
    if (i < different.size()) launches.push_back(different[i]);
  }
  return launches;
}

}  // namespace kata

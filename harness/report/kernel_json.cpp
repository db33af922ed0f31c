#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_members.h"

namespace kata::emulator {

using Json = nlohmann::json;

namespace {

/// `unit` is what a request of this kind is counted in; "ideal_" before it, the fewest.
Json accesses(const AccessCount& count, const std::string& unit) {
  Json json = {{"accesses", count.accesses}, {"bytes", count.bytes}, {"requests", count.requests}};
  if (count.worst.lanes > 0) {
    json["worst"] = {{"lanes", count.worst.lanes},
                     {unit, count.worst.needed},
                     {"ideal_" + unit, count.worst.ideal},
                     {"stride", count.worst.stride},
                     {"pattern", count.worst.pattern}};
  }
  return json;
}

Json global(const AccessCount& count) {
  Json json = accesses(count, "sectors");
  json["sectors"] = count.sectors;
  json["ideal_sectors"] = count.ideal_sectors;
  return json;
}

Json shared(const AccessCount& count) {
  Json json = accesses(count, "wavefronts");
  json["wavefronts"] = count.wavefronts;
  json["conflicts"] = count.conflicts;
  if (count.switched_off > 0) json["switched_off"] = count.switched_off;
  if (count.apart > 0) {
    json["apart"] = count.apart;
    json["apart_wavefronts"] = count.apart_wavefronts;
  }
  return json;
}

Json atomic(const AccessCount& count) {
  Json json = accesses(count, "turns");
  json["turns"] = count.turns;
  return json;
}

WorstRequest worst_from(const Json& json, const std::string& unit) {
  const auto found = json.find("worst");
  if (found == json.end()) return {};
  return {.lanes = found->value("lanes", 0u),
          .needed = found->value(unit, 0u),
          .ideal = found->value("ideal_" + unit, 0u),
          .stride = found->value("stride", std::int64_t{0}),
          .pattern = found->value("pattern", "")};
}

AccessCount accesses_from(const Json& json, const char* key, const char* unit) {
  const Json one = json.value(key, Json::object());
  const auto number_of = [&](const char* name) { return one.value(name, std::uint64_t{0}); };
  return {.accesses = number_of("accesses"),
          .bytes = number_of("bytes"),
          .requests = number_of("requests"),
          .switched_off = number_of("switched_off"),
          .apart = number_of("apart"),
          .apart_wavefronts = number_of("apart_wavefronts"),
          .sectors = number_of("sectors"),
          .ideal_sectors = number_of("ideal_sectors"),
          .wavefronts = number_of("wavefronts"),
          .conflicts = number_of("conflicts"),
          .turns = number_of("turns"),
          .worst = worst_from(one, unit)};
}

/// The five kinds of access, which a launch and a line of it have alike.
template <class Record>
void read_accesses(const Json& json, Record& record) {
  record.global_load = accesses_from(json, "global_load", "sectors");
  record.global_store = accesses_from(json, "global_store", "sectors");
  record.shared_load = accesses_from(json, "shared_load", "wavefronts");
  record.shared_store = accesses_from(json, "shared_store", "wavefronts");
  record.atomic = accesses_from(json, "atomic", "turns");
}

}  // namespace

KATA_JSON_OF_MEMBERS(BufferRead, file, line, sectors, ideal_sectors)
KATA_JSON_OF_MEMBERS(BufferRecord, name, bytes, load_sectors, store_sectors, reads)

/// Only the kinds that the line has.
void to_json(Json& json, const LineRecord& line) {
  json = {{"file", line.file}, {"line", line.line}};
  const auto add = [&](const char* key, const AccessCount& count,
                       Json (*as_json)(const AccessCount&)) {
    if (count.accesses > 0) json[key] = as_json(count);
  };
  add("global_load", line.global_load, global);
  add("global_store", line.global_store, global);
  add("shared_load", line.shared_load, shared);
  add("shared_store", line.shared_store, shared);
  add("atomic", line.atomic, atomic);
}

void from_json(const Json& json, LineRecord& line) {
  line = {.file = json.value("file", ""), .line = json.value("line", 0)};
  read_accesses(json, line);
}

void to_json(Json& json, const KernelRecord& kernel) {
  json = {{"name", kernel.name},
          {"launches", kernel.launches},
          {"counted_launches", kernel.counted_launches},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"shared_bytes", kernel.shared_bytes},
          {"global_load", global(kernel.global_load)},
          {"global_store", global(kernel.global_store)},
          {"shared_load", shared(kernel.shared_load)},
          {"shared_store", shared(kernel.shared_store)},
          {"atomic", atomic(kernel.atomic)},
          {"barriers", kernel.barriers},
          {"active_lanes", kernel.active_lanes()},
          {"lines", kernel.lines},
          {"buffers", kernel.buffers}};
  if (kernel.counted_blocks > 0) json["counted_blocks"] = kernel.counted_blocks;
  if (kernel.unmarked_blocks > 0) json["unmarked_blocks"] = kernel.unmarked_blocks;
  if (kernel.blocks_wait) json["blocks_wait"] = true;
  if (kernel.of_machine_code) json["of_machine_code"] = true;
  if (!kernel.by_rules.empty()) json["by_rules"] = kernel.by_rules;
}

void from_json(const Json& json, KernelRecord& kernel) {
  kernel = {.name = json.value("name", ""),
            .launches = json.value("launches", std::uint64_t{1}),
            .counted_launches = json.value("counted_launches", std::uint64_t{0}),
            .counted_blocks = json.value("counted_blocks", std::uint64_t{0}),
            .of_machine_code = json.value("of_machine_code", false),
            .by_rules = json.value("by_rules", ""),
            .unmarked_blocks = json.value("unmarked_blocks", std::uint64_t{0}),
            .grid = json.value("grid", std::array<unsigned, 3>{}),
            .block = json.value("block", std::array<unsigned, 3>{}),
            .shared_bytes = json.value("shared_bytes", std::uint64_t{0}),
            .barriers = json.value("barriers", std::uint64_t{0}),
            .blocks_wait = json.value("blocks_wait", false),
            .lines = json.value("lines", std::vector<LineRecord>{}),
            .buffers = json.value("buffers", std::vector<BufferRecord>{})};
  read_accesses(json, kernel);
}

}  // namespace kata::emulator

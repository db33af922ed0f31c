#include "grading/kept_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compile/hash.h"
#include "grading/spawn.h"
#include "report/json.h"
#include "support/date.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;

fs::path file_of(const Problem& problem, const Shape& shape) {
  return cache_folder() / "times" / fmt::format("{}_{}.json", problem.name, to_string(shape));
}

}  // namespace

std::string ladder_key(const Job& job, const std::string& gpu) {
  Hash hash;
  hash.add(gpu).add(job.ceilings_module.stem().string());  // a module's name is its content's hash
  for (const TimedKernel& one : job.kernels) {
    if (one.kind != RowKind::yours) hash.add(one.name).add(one.module.stem().string());
  }
  hash.add(static_cast<std::uint64_t>(build_of(Backend::gpu)));
  return hash.hex();
}

std::optional<KeptTimes> kept_times(const Problem& problem, const Shape& shape,
                                    const std::string& key) try {
  const std::optional<std::string> text = read_file(file_of(problem, shape));
  if (!text) return {};
  const Json json = Json::parse(*text);
  if (json.at("key") != key) return {};
  return KeptTimes{json.at("date"), json.at("rows").get<std::vector<TimingRow>>()};
} catch (const Json::exception&) {
  return {};  // a file that is damaged is written again
}

void keep_times(const Problem& problem, const Shape& shape, const std::string& key,
                const std::vector<TimingRow>& rows) {
  Json kept = Json::array();
  for (const TimingRow& row : rows) {
    if (row.kind == RowKind::yours || row.size != to_string(shape)) continue;
    if (!row.error.empty()) return;
    kept.push_back(row);
    kept.back()["vs_yours"] = 0;
  }
  if (kept.empty() || kept.back().at("kind") != Json(RowKind::limit)) return;
  const Json json{{"key", key}, {"date", today()}, {"rows", std::move(kept)}};
  write_file(file_of(problem, shape), json.dump(1) + "\n");  // without room, it is measured again
}

bool is_as_fast_as_then(const KeptTimes& kept, const TimingRow& limit_now) {
  const auto then = std::ranges::find(kept.rows, RowKind::limit, &TimingRow::kind);
  if (then == kept.rows.end() || then->name != limit_now.name) return false;
  constexpr double varies = 0.05, varies_us = 1;
  const double apart = std::fabs(limit_now.median_us - then->median_us);
  return apart <= std::max(varies_us, varies * then->median_us);
}

}  // namespace kata

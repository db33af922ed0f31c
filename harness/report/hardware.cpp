#include "report/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <sstream>

#include "report/layout.h"

namespace kata {
namespace {

using namespace layout;
using namespace ncu;
using Metrics = std::map<std::string, double>;

constexpr const char* duration = "gpu__time_duration.sum";  // ns
constexpr const char* occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// How a value is written.
enum class Unit { count, bytes, percent, us };

/// One line of the table: what a person calls it, ncu's metric, and the emulator's word for it.
struct Line {
  const char* words;
  const char* metric;
  Unit unit;
  double scale;  ///< from ncu's base unit
  std::function<std::optional<double>(const PredictedLaunch&)> predicted;
  const char* and_copies = nullptr;  ///< ncu counts asynchronous copies into shared memory apart
  bool zero_is_none = false;         ///< ncu says 0 where it has nothing to say
};

template <class Number>
std::optional<double> known(Number value) {
  return static_cast<double>(value);
}

const std::vector<Line>& lines() {
  using P = const PredictedLaunch&;
  const auto unknown = [](P) -> std::optional<double> { return {}; };
  static const std::vector<Line> all = {
      {"duration", duration, Unit::us, 1e-3, [](P p) { return known(p.us); }},
      {"read from device memory", bytes_read, Unit::bytes, 1,
       [](P p) { return known(p.read_bytes); }},
      {"written to device memory", bytes_written, Unit::bytes, 1,
       [](P p) { return known(p.written_bytes); }},
      {"global loads: requests of a warp", load_requests, Unit::count, 1,
       [](P p) { return known(p.counts.global_load.requests); }},
      {"global loads: sectors of 32 bytes", load_sectors, Unit::count, 1,
       [](P p) { return known(p.counts.global_load.sectors); }},
      // Of asynchronous copies ncu says that they use no byte of what they load.
      {"  bytes used of each sector loaded",
       "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", Unit::percent, 1, unknown,
       nullptr, true},
      {"global stores: requests", store_requests, Unit::count, 1,
       [](P p) { return known(p.counts.global_store.requests); }},
      {"global stores: sectors", store_sectors, Unit::count, 1,
       [](P p) { return known(p.counts.global_store.sectors); }},
      {"shared loads: wavefronts", shared_load_wavefronts, Unit::count, 1,
       [](P p) {
         return known(p.counts.shared_load.wavefronts - p.counts.shared_load.apart_wavefronts);
       }},
      {"  of them bank conflicts", shared_load_conflicts, Unit::count, 1,
       [](P p) { return known(p.counts.shared_load.conflicts); }},
      {"shared stores: wavefronts", shared_store_wavefronts, Unit::count, 1,
       [](P p) { return known(p.counts.shared_store.wavefronts); },
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"},
      {"  of them bank conflicts", shared_store_conflicts, Unit::count, 1,
       [](P p) { return known(p.counts.shared_store.conflicts); },
       "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"},
      {"sectors found in L1", "l1tex__t_sector_hit_rate.pct", Unit::percent, 1, unknown},
      {"sectors found in L2", "lts__t_sector_hit_rate.pct", Unit::percent, 1, unknown},
      {"occupancy: warps at work, of room", occupancy, Unit::percent, 1,
       [](P p) { return known(100 * p.occupancy); }},
      {"memory at work, of its peak",
       "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent, 1,
       unknown},
      {"multiprocessors at work, of peak", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
       Unit::percent, 1, unknown}};
  return all;
}

std::string written(std::optional<double> value, Unit unit) {
  if (!value) return "-";
  if (unit == Unit::us) return fmt::format("{:.1f} us", *value);
  if (unit == Unit::percent) return fmt::format("{:.0f} %", *value);
  const std::string number = short_number(static_cast<std::uint64_t>(std::max(*value, 0.0) + 0.5));
  return unit == Unit::bytes ? number + " B" : number;
}

std::optional<double> find(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::optional<double>() : found->second;
}

/// Nothing where ncu has no number.
std::optional<double> measured(const Line& line, const Metrics& metrics) {
  std::optional<double> value = find(metrics, line.metric);
  if (value && line.and_copies) *value += find(metrics, line.and_copies).value_or(0);
  if (line.zero_is_none && value == 0.0) return {};
  if (value) *value *= line.scale;
  return value;
}

double sum(const HardwareProfile& profile, const char* metric) {
  double total = 0;
  for (const MeasuredLaunch& one : profile.launches) total += find(one.metrics, metric).value_or(0);
  return total;
}

std::string launch_table(const MeasuredLaunch& launch, const PredictedLaunch* predicted,
                         bool color) {
  std::string text = "  " + paint(launch.kernel, Color::bold, color) +
                     fmt::format("<<<{}, {}>>>\n  {:<36}{:>12}{:>14}\n", launch.grid, launch.block,
                                 "", "ncu", predicted ? "emulator" : "");
  for (const Line& line : lines()) {
    const std::optional<double> value = measured(line, launch.metrics);
    const std::optional<double> other = predicted ? line.predicted(*predicted) : std::nullopt;
    const std::string in_emulator = other ? written(other, line.unit) : "";
    const std::string row =
        fmt::format("  {:<36}{:>12}{:>14}", line.words, written(value, line.unit), in_emulator);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "\n";
}

/// Fields of a line of CSV, each of them in quotes.
std::vector<std::string> quoted_fields(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at < line.size() && line[at] == '"';) {
    std::string field;
    for (++at; at < line.size(); ++at) {
      const bool doubled = line[at] == '"' && at + 1 < line.size() && line[at + 1] == '"';
      if (line[at] == '"' && !doubled) break;
      at += doubled;
      field += line[at];
    }
    fields.push_back(field);
    at += 2;  // the quote and the comma
  }
  return fields;
}

/// "(8, 8, 1)" -> "8x8x1"
std::string extents(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (std::isdigit(static_cast<unsigned char>(letter))) result += letter;
    if (letter == ',') result += 'x';
  }
  return result;
}

std::optional<double> number_from(std::string text) {
  std::erase(text, ',');  // 1,234
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::optional<double>() : value;  // "n/a"
}

MeasuredLaunch launch_from(const std::vector<std::string>& names,
                           const std::vector<std::string>& fields) {
  MeasuredLaunch launch;
  for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) {
    if (names[i] == "Kernel Name") launch.kernel = plain_kernel_name(fields[i]);
    if (names[i] == "Grid Size") launch.grid = extents(fields[i]);
    if (names[i] == "Block Size") launch.block = extents(fields[i]);
    const bool is_metric = names[i].find("__") != std::string::npos;
    const std::optional<double> value = number_from(fields[i]);
    if (is_metric && value) launch.metrics[names[i]] = *value;
  }
  return launch;
}

}  // namespace

std::string plain_kernel_name(std::string name) {
  for (const std::string drop : {"(anonymous namespace)::", "<unnamed>::", "void "}) {
    for (std::size_t at; (at = name.find(drop)) != std::string::npos;) name.erase(at, drop.size());
  }
  name = name.substr(0, name.find_first_of("<("));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::vector<std::string> ncu_metrics() {
  std::vector<std::string> metrics;
  for (const Line& line : lines()) {
    metrics.push_back(line.metric);
    if (line.and_copies) metrics.push_back(line.and_copies);
  }
  return metrics;
}

std::vector<MeasuredLaunch> launches_from_ncu(const std::string& text) {
  std::vector<MeasuredLaunch> launches;
  std::vector<std::string> names;
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row);) {
    if (!row.starts_with('"')) continue;  // ncu's own words
    const std::vector<std::string> fields = quoted_fields(row);
    if (names.empty()) {
      names = fields;
    } else if (!fields[0].empty()) {  // the units have no ID
      launches.push_back(launch_from(names, fields));
    }
  }
  return launches;
}

std::string hardware_text(const HardwareProfile& profile, bool color) {
  std::string text = paint(profile.operator_name, Color::bold, color) +
                     fmt::format("  {}  at {}\n", profile.candidate, profile.size);
  text +=
      paragraph("On " + profile.device +
                    ", by ncu, caches empty before each launch. The "
                    "emulator's columns: counted, and the times, bytes and occupancy estimated.",
                2) +
      "\n";
  const bool matched = profile.predicted.size() == profile.launches.size();
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    text += launch_table(profile.launches[i], matched ? &profile.predicted[i] : nullptr, color);
  }
  if (!profile.not_predicted.empty()) {
    text += paragraph("No prediction: " + profile.not_predicted, 2) + "\n";
  }
  const RooflinePoint point{.operations = profile.operations,
                            .bytes = sum(profile, bytes_read) + sum(profile, bytes_written),
                            .least_bytes = profile.least_bytes,
                            .seconds = 1e-9 * sum(profile, duration)};
  if (profile.roof && point.bytes > 0 && point.seconds > 0) {
    text += paragraph(roofline_text(point, *profile.roof), 2) + "\n";
  }
  return text;
}

}  // namespace kata

#include "timing/measured_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"
#include "timing/table.h"

namespace kata {
namespace {

/// The file has no column for it: a rung's name begins with its number.
RowKind kind_of(const std::string& name) {
  if (name.starts_with("limit (")) return RowKind::limit;
  return name[0] >= '0' && name[0] <= '9' ? RowKind::rung : RowKind::library;
}

/// "# NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21: kata bench add"
void read_origin(const std::string& line, MeasuredTimes& times) {
  const std::vector<std::string> parts = split(line.substr(0, line.find(": ")), ',');
  if (parts.size() < 2 || parts.front().size() < 2) return;
  times.device = parts.front().substr(2);
  times.date = parts.back().substr(parts.back().find_first_not_of(' '));
}

}  // namespace

Result<MeasuredTimes> measured_times(const Problem& problem) {
  const std::filesystem::path path = solutions(problem.name) / "times.csv";
  MeasuredTimes times;
  for (const std::string& line : lines_of(read_file(path).value_or(""))) {
    if (line.starts_with("# ")) read_origin(line, times);
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() != 6 || line.starts_with("#") || fields[0] == "size") continue;
    times.rows.push_back({.kind = kind_of(fields[1]),
                          .name = fields[1],
                          .size = fields[0],
                          .median_us = std::atof(fields[2].c_str()),
                          .iqr_us = std::atof(fields[3].c_str()),
                          .samples = std::atoi(fields[4].c_str()),
                          .of_limit = std::atof(fields[5].c_str())});
  }
  for (const Shape& shape : problem.bench_shapes) {
    for (TimingRow& row : times.rows) {
      if (row.size == to_string(shape)) rate(row, problem.cost(shape));
    }
  }
  std::erase_if(times.rows, [](const TimingRow& row) { return row.gb_per_s <= 0; });
  if (times.rows.empty()) {
    return Error{fmt::format("no measured times for {}. Measure them on a GPU: {} bench {}",
                             problem.name, command_name(), problem.name)};
  }
  return times;
}

std::vector<TimingRow> rows_at(const std::vector<TimingRow>& rows, const std::string& size) {
  std::vector<TimingRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const TimingRow& row) { return row.size == size; });
  return found;
}

const TimingRow* find_row(const std::vector<TimingRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const TimingRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace kata

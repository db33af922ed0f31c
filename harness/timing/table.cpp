#include "timing/table.h"

#include "timing/statistics.h"

namespace kata {
namespace {

TimingRow row(RowKind kind, const std::string& name, const std::string& size, double us,
              const Cost& cost, double limit_us, double yours_us) {
  TimingRow result{.kind = kind, .name = name, .size = size, .median_us = us};
  if (us <= 0) return result;
  rate(result, cost);
  result.of_limit = limit_us / us;
  result.vs_yours = yours_us > 0 ? us / yours_us : 0;
  return result;
}

double time_of_yours(const std::vector<Measured>& measured) {
  for (const Measured& one : measured) {
    if (one.kind == RowKind::yours && one.error.empty()) return summarize(one.samples_us).median;
  }
  return 0;
}

}  // namespace

void rate(TimingRow& row, const Cost& cost) {
  const double bytes = cost.link_bytes > 0 ? cost.link_bytes : cost.bytes_read + cost.bytes_written;
  row.gb_per_s = bytes / row.median_us / 1e3;
  row.tflop_per_s = cost.operations / row.median_us / 1e6;
  row.launch_bound = row.median_us < launch_bound_us;
}

std::vector<TimingRow> table(const std::vector<Measured>& measured, const std::string& size,
                             const Cost& cost, const std::optional<Limit>& least) {
  const double limit_us = least ? least->us : 0;
  const double yours_us = time_of_yours(measured);
  std::vector<TimingRow> rows;
  for (const Measured& one : measured) {
    if (!one.error.empty()) {
      rows.push_back({.kind = one.kind,
                      .name = one.name,
                      .size = size,
                      .error = one.error,
                      .failed = one.failed,
                      .invalid = one.invalid});
      continue;
    }
    const Summary summary = summarize(one.samples_us);
    rows.push_back(row(one.kind, one.name, size, summary.median, cost, limit_us, yours_us));
    rows.back().iqr_us = summary.iqr;
    rows.back().samples = static_cast<int>(one.samples_us.size());
  }
  if (!least) return rows;
  rows.push_back(row(RowKind::limit, least->name, size, limit_us, cost, limit_us, yours_us));
  rows.back().iqr_us = least->iqr_us;
  rows.back().samples = least->samples;
  return rows;
}

}  // namespace kata

#include "report/text/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/layout.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

template <class Row, class Time>
const Row* best_rung(const std::vector<Row>& rows, const std::string& size, Time time) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.kind != RowKind::rung || row.size != size || !(row.*time > 0)) continue;
    if (!best || row.*time < best->*time) best = &row;
  }
  return best;
}

/// Whether a rung, which may be the best, has no time at that size.
template <class Row, class Time>
bool one_is_missing(const std::vector<Row>& rows, const std::string& size, Time time) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.kind == RowKind::rung && row.size == size && !(row.*time > 0);
  });
}

template <class Row>
const Row* first_of(const std::vector<Row>& rows, const std::string& size, RowKind kind) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.kind == kind && row.size == size;
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Three significant digits, no exponent.
std::string three_digits(double value) {
  if (!(value > 0)) return "-";
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 3);
  return fmt::format("{:.{}f}", value, digits);
}

std::string timing_line(const TimingRow& row, const std::string& label) {
  if (!row.error.empty()) return labelled_words(label, "no time: " + row.error);
  const bool calculated = row.samples == 0;  // a limit of arithmetic
  return fmt::format("{}{:>9}{:1} {:>6} {:>7} {:>8} {:>8} {:>9}\n", label,
                     fmt::format("{:.1f}", row.median_us), row.launch_bound ? "*" : "",
                     calculated ? "" : three_digits(row.iqr_us), three_digits(row.gb_per_s),
                     three_digits(row.tflop_per_s), fmt::format("{:.0f} %", 100 * row.of_limit),
                     row.vs_yours > 0 ? fmt::format("{:.2f} x", row.vs_yours) : "");
}

/// What the candidate moves beside what any kernel must. Empty where that is not known.
std::string beside_the_least(const Report& report) {
  if (report.least_bytes == 0 || report.output_elements == 0 || report.counts.empty()) return {};
  const CountRow& yours = report.counts.front();
  const std::uint64_t moved = 32 * yours.sectors;
  if (moved == 0) return {};
  const auto accesses = yours.global_accesses + yours.shared_accesses + yours.atomics;
  const double per_output =
      static_cast<double>(accesses) / static_cast<double>(report.output_elements);
  return paragraph(
      fmt::format("In case {} yours moves {} bytes, {:.2f} times the minimum, with {} accesses per "
                  "output.",
                  report.counted_case, short_number(moved),
                  static_cast<double>(moved) / static_cast<double>(report.least_bytes),
                  per_output < 10'000 ? fmt::format("{:.1f}", per_output)
                                      : short_number(static_cast<std::uint64_t>(per_output))),
      2);
}

template <class Row>
std::vector<std::string> sizes_of(const std::vector<Row>& rows) {
  std::vector<std::string> sizes;
  for (const Row& row : rows) {
    if (std::find(sizes.begin(), sizes.end(), row.size) == sizes.end()) sizes.push_back(row.size);
  }
  return sizes;
}

/// A time in microseconds, or "-".
template <class Row, class Time>
std::string us_of(const Row* row, Time time) {
  return row && row->*time > 0 ? fmt::format("{:.1f}", row->*time) : "-";
}

/// The whole name if it fits in so many columns.
std::string shortened(const std::string& name, std::size_t columns) {
  return name.size() <= columns ? name : name.substr(0, columns - 2) + "..";
}

/// One row for each size: yours, the best rung, the library and the limit, where there are any.
template <class Row, class Time>
std::string overview(const std::vector<Row>& rows, Time time, const std::string& title,
                     bool color) {
  const auto column = [&](RowKind kind, const std::string& words) {
    const bool is_there =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.kind == kind; });
    return is_there ? fmt::format("{:>10}", words) : "";
  };
  std::string text = "  " + paint(title, Color::bold, color) + "\n";
  text += fmt::format("  {:<16}{}{:>11}{}{}  {}\n", "", column(RowKind::yours, "yours"),
                      "best rung", column(RowKind::library, "library"),
                      column(RowKind::limit, "limit"), "which rung");
  bool some_missing = false, some_unknown = false;
  for (const std::string& size : sizes_of(rows)) {
    const Row* best = best_rung(rows, size, time);
    const bool at_most = best && one_is_missing(rows, size, time);
    some_missing = some_missing || at_most;
    some_unknown = some_unknown || !best;
    const auto us_column = [&](RowKind kind) {
      return column(kind, us_of(first_of(rows, size, kind), time));
    };
    const std::string times = fmt::format("  {:<16}{}{:>11}{}{}  ", size, us_column(RowKind::yours),
                                          (at_most ? "<=" : "") + us_of(best, time),
                                          us_column(RowKind::library), us_column(RowKind::limit));
    text += times + (best ? shortened(best->name, width - times.size()) : "") + "\n";
  }
  if (some_unknown) text += "  -: no rung has a time there (-v says why)\n";
  if (some_missing) text += "  <=: a rung whose time is missing may be better\n";
  return text + "  (-v shows every rung at every size)\n\n";
}

}  // namespace

RowChoice::RowChoice(const Report& report, std::string best, bool all)
    : best_(std::move(best)), all_(all) {
  constexpr std::size_t most_rows = 3;
  if (!report.level) return;
  level_ = report.level->same;
  level_.push_back(report.level->name);
  if (level_.size() > most_rows) level_ = {report.level->name};
}

bool RowChoice::is_level(RowKind kind, const std::string& name) const {
  return kind == RowKind::rung && std::ranges::find(level_, name) != level_.end();
}

bool RowChoice::shows(RowKind kind, const std::string& name) const {
  return all_ || kind != RowKind::rung || is_level(kind, name) || name == best_;
}

std::string RowChoice::label(RowKind kind, const std::string& name) const {
  return fmt::format("{}{:<{}}", is_level(kind, name) ? "= " : "  ",
                     shortened(name, name_columns - 1), name_columns);
}

std::string labelled_words(const std::string& label, const std::string& words) {
  const std::string text = paragraph(words, label.size() + 2);
  return label + text.substr(std::min(label.size(), text.size()));
}

std::string ladder_tables(const Report& report, bool color, bool all) {
  if (!all && report.cases.empty() && sizes_of(report.timing).size() > 1) {
    return overview(report.timing, &TimingRow::median_us, "median us on " + report.device, color);
  }
  if (!all && report.cases.empty() && sizes_of(report.estimates).size() > 1) {
    return overview(report.estimates, &Estimate::us,
                    fmt::format("us estimated for {}, not measured", report.chip), color);
  }
  const bool only_counts = report.timing.empty() && report.estimates.empty();
  std::string text = timing_tables(report, color, all) + estimates_tables(report, color, all);
  if (!all && !only_counts) return text;
  const std::string least = beside_the_least(report);
  return text + counts_table(report, color, all) + (least.empty() ? "" : least + "\n");
}

std::string timing_tables(const Report& report, bool color, bool all) {
  std::string text;
  bool launch_bound = false;
  std::string kept_from;
  for (const std::string& size : sizes_of(report.timing)) {
    const TimingRow* best = best_rung(report.timing, size, &TimingRow::median_us);
    const RowChoice choice(report, best ? best->name : "", all || report.cases.empty());
    text += "  " + paint(fmt::format("{} on {}", size, report.device), Color::bold, color) + "\n";
    text += fmt::format("  {:<{}}{:>9}  {:>6} {:>7} {:>8} {:>8} {:>9}\n", "", name_columns,
                        "median us", "iqr", "GB/s", "TFLOP/s", "of limit", "vs yours");
    for (const TimingRow& row : report.timing) {
      if (row.size != size || !choice.shows(row.kind, row.name)) continue;
      launch_bound = launch_bound || row.launch_bound;
      if (!row.kept_from.empty()) kept_from = row.kept_from;
      const std::string line = timing_line(row, choice.label(row.kind, row.name));
      text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
    }
    text += "\n";
  }
  if (launch_bound) text += "  * under 10 us: mostly the launch, not the kernel\n\n";
  if (!kept_from.empty()) {
    const std::string words = fmt::format(
        "Rungs and libraries were timed on this GPU on {}; to time them again: {} bench {}",
        kept_from, command_name(), report.operator_name);
    text += paragraph(words, 2) + "\n";
  }
  return text;
}

std::string counts_table(const Report& report, bool color, bool all) {
  if (report.counts.empty()) return {};
  const RowChoice choice(report, report.counts.back().name, all);
  const std::string title = "Memory traffic at " + report.counted_case;
  std::string text = "  " + paint(title, Color::bold, color) + ", as the emulator counts\n";
  text += fmt::format("  {:<{}}{:>9}{:>8}{:>8}{:>8}{:>11}{:>9}\n", "", name_columns, "launches",
                      "bytes", "sectors", "ideal", "wavefronts", "barriers");
  for (const CountRow& row : report.counts) {
    if (!choice.shows(row.kind, row.name)) continue;
    const std::string line = fmt::format(
        "{}{:>9}{:>8}{:>8}{:>8}{:>11}{:>9}\n", choice.label(row.kind, row.name), row.launches,
        short_number(row.global_bytes), short_number(row.sectors), short_number(row.ideal_sectors),
        short_number(row.wavefronts), short_number(row.barriers));
    text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
  }
  return text + "  sectors: 32 bytes of global memory; wavefronts: turns of shared memory\n\n";
}

}  // namespace kata

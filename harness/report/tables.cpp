#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/layout.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t name_width = 24;

std::string short_name(const std::string& name) {
  return name.size() <= name_width ? name : name.substr(0, name_width - 2) + "..";
}

/// Three significant digits, no exponent.
std::string three_digits(double value) {
  if (!(value > 0)) return "-";
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 3);
  return fmt::format("{:.{}f}", value, digits);
}

std::string timing_line(const TimingRow& row) {
  if (!row.error.empty()) {
    return fmt::format("  {:<{}}  no time: {}\n", short_name(row.name), name_width, row.error);
  }
  const bool calculated = row.samples == 0;  // a limit of arithmetic
  return fmt::format("  {:<{}}{:>9}{:1} {:>6} {:>7} {:>8} {:>8} {:>9}\n", short_name(row.name),
                     name_width, fmt::format("{:.1f}", row.median_us), row.launch_bound ? "*" : "",
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
  return fmt::format("  yours moves {} bytes, {:.2f} times the least; {:.1f} accesses per output\n",
                     short_number(moved),
                     static_cast<double>(moved) / static_cast<double>(report.least_bytes),
                     static_cast<double>(accesses) / static_cast<double>(report.output_elements));
}

std::vector<std::string> sizes_of(const Report& report) {
  std::vector<std::string> sizes;
  for (const TimingRow& row : report.timing) {
    if (std::find(sizes.begin(), sizes.end(), row.size) == sizes.end()) sizes.push_back(row.size);
  }
  return sizes;
}

}  // namespace

std::string timing_tables(const Report& report, bool color) {
  std::string text;
  bool launch_bound = false;
  for (const std::string& size : sizes_of(report)) {
    text += "  " + paint(fmt::format("{} on {}", size, report.device), Color::bold, color) + "\n";
    text += fmt::format("  {:<{}}{:>9}  {:>6} {:>7} {:>8} {:>8} {:>9}\n", "", name_width,
                        "median us", "iqr", "GB/s", "TFLOP/s", "of limit", "vs yours");
    for (const TimingRow& row : report.timing) {
      if (row.size != size) continue;
      launch_bound = launch_bound || row.launch_bound;
      const std::string line = timing_line(row);
      text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
    }
    text += "\n";
  }
  if (launch_bound) text += "  * under 10 us: mostly the launch, not the kernel\n\n";
  return text;
}

std::string counts_table(const Report& report, bool color) {
  if (report.counts.empty()) return {};
  const std::string title = "Memory traffic at " + report.counted_case;
  std::string text = "  " + paint(title, Color::bold, color) + ", as the emulator counts\n";
  text += fmt::format("  {:<{}}{:>9}{:>8}{:>8}{:>8}{:>11}{:>9}\n", "", name_width, "launches",
                      "bytes", "sectors", "ideal", "wavefronts", "barriers");
  for (const CountRow& row : report.counts) {
    const std::string line = fmt::format(
        "  {:<{}}{:>9}{:>8}{:>8}{:>8}{:>11}{:>9}\n", short_name(row.name), name_width, row.launches,
        short_number(row.global_bytes), short_number(row.sectors), short_number(row.ideal_sectors),
        short_number(row.wavefronts), short_number(row.barriers));
    text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
  }
  return text + "  sectors: 32 bytes of global memory; wavefronts: turns of shared memory\n" +
         beside_the_least(report) + "\n";
}

}  // namespace kata

#include <fmt/format.h>

#include <algorithm>

#include "report/layout.h"
#include "report/tables.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t name_width = 24;

double best_of(const std::vector<Estimate>& rows, const std::string& size) {
  double best = 0;
  for (const Estimate& row : rows) {
    if (row.size == size && row.us > 0 && (best == 0 || row.us < best)) best = row.us;
  }
  return best;
}

std::string line_of(const Estimate& row, double best) {
  const std::string name = row.name.substr(0, name_width - 1);
  if (!row.error.empty()) {
    return fmt::format("  {:<{}}  no estimate: {}\n", name, name_width, row.error);
  }
  std::string line =
      fmt::format("  {:<{}}{:>9.1f} {:>9.2f} x {:>8.0f} %  {}", name, name_width, row.us,
                  best > 0 ? row.us / best : 0, 100 * row.occupancy, row.limiter);
  if (!row.extrapolated_from.empty()) line += " (from " + row.extrapolated_from + ")";
  return line + "\n";
}

std::string table_of(const Report& report, const std::string& size, bool color) {
  const std::string title = fmt::format("{} estimated for {}", size, report.chip);
  std::string text = "  " + paint(title, Color::bold, color) + ", not measured\n";
  text += fmt::format("  {:<{}}{:>9} {:>11} {:>10}  {}\n", "", name_width, "est. us", "vs best",
                      "occupancy", "limited by");
  const double best = best_of(report.estimates, size);
  for (const Estimate& row : report.estimates) {
    if (row.size != size) continue;
    const std::string line = line_of(row, best);
    text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
  }
  return text + "\n";
}

/// What the occupancies follow from.
std::string about_registers(const std::vector<Estimate>& rows) {
  const auto known = [](const Estimate& row) { return row.registers > 0; };
  const auto estimated = [](const Estimate& row) { return row.error.empty(); };
  const auto all = std::count_if(rows.begin(), rows.end(), estimated);
  const auto counted = std::count_if(rows.begin(), rows.end(), known);
  if (counted == 0) {
    return "Registers are not known, for want of an nvcc that compiles this: the occupancy is that "
           "of 32 a thread. ";
  }
  const Estimate& first = rows.front();
  const std::string yours = known(first) && first.kind == RowKind::yours
                                ? fmt::format(" ({} a thread in yours)", first.registers)
                                : "";
  return "Occupancy with the registers that ptxas counts" + yours +
         (counted < all ? ", with 32 a thread where it compiled nothing. " : ". ");
}

}  // namespace

std::string estimates_tables(const Report& report, bool color) {
  std::string text;
  std::vector<std::string> sizes;
  for (const Estimate& row : report.estimates) {
    if (std::find(sizes.begin(), sizes.end(), row.size) != sizes.end()) continue;
    sizes.push_back(row.size);
    text += table_of(report, row.size, color);
  }
  if (text.empty()) return text;
  return text +
         paragraph(about_registers(report.estimates) +
                       "An estimate orders kernels; it does not time them. docs/estimate.md says "
                       "how far to trust it.",
                   2) +
         "\n";
}

}  // namespace kata

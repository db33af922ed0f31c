#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/layout.h"
#include "report/text/tables.h"

namespace kata {
namespace {

using namespace layout;

std::string best_rung_of(const std::vector<Estimate>& rows, const std::string& size) {
  const Estimate* best = nullptr;
  for (const Estimate& row : rows) {
    if (row.kind != RowKind::rung || row.size != size || !(row.us > 0)) continue;
    if (!best || row.us < best->us) best = &row;
  }
  return best ? best->name : "";
}

/// Of yours and the rungs; 0 where no rung has an estimate.
double best_of(const std::vector<Estimate>& rows, const std::string& size) {
  double best = 0;
  for (const Estimate& row : rows) {
    if (row.size == size && row.us > 0 && (best == 0 || row.us < best)) best = row.us;
  }
  return best_rung_of(rows, size).empty() ? 0 : best;
}

std::string ratio_to(double best, double us, bool at_least) {
  return best > 0 ? fmt::format("{}{:.2f} x", at_least ? ">=" : "", us / best) : "-";
}

/// `at_least`: a rung without an estimate may be better than the best of the others.
std::string line_of(const Estimate& row, double best, bool at_least, const std::string& label) {
  if (!row.error.empty()) return labelled_words(label, "no estimate: " + row.error);
  const char* const mark = row.older                       ? "*"
                           : row.placed                    ? "+"
                           : row.extrapolated_from.empty() ? ""
                                                           : "~";
  return fmt::format("{}{:>9} {:>11} {:>8.0f} %  {}\n", label,
                     fmt::format("{}{:.1f}", mark, row.us), ratio_to(best, row.us, at_least),
                     100 * row.occupancy, row.limiter);
}

/// "~ scaled from a smaller size: 256x1024"
std::string about_scaling(const std::vector<Estimate>& rows) {
  std::set<std::string> sizes;
  for (const Estimate& row : rows) {
    if (!row.extrapolated_from.empty()) sizes.insert(row.extrapolated_from);
  }
  if (sizes.empty()) return {};
  return paragraph(
      fmt::format("~ scaled up from a run in the emulator at {}", fmt::join(sizes, ", ")), 2);
}

/// Which rungs the best is not compared with. Empty where every rung has an estimate.
std::string about_missing(const std::vector<Estimate>& rows, const std::string& size,
                          bool every_row) {
  const std::vector<std::string> missing = rungs_without_estimate(rows, size);
  if (missing.empty()) return {};
  const auto of_size = [&](const Estimate& row) { return row.size == size; };
  const auto rungs = static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](const Estimate& row) { return of_size(row) && row.kind == RowKind::rung; }));
  const bool some_pending =
      std::ranges::any_of(rows, [&](const Estimate& row) { return of_size(row) && row.pending; });
  const std::string text = missing.size() == rungs
                               ? "No rung has an estimate at this size"
                               : fmt::format(">=: at least. {} of {} rungs without an estimate: {}",
                                             missing.size(), rungs, fmt::join(missing, ", "));
  return paragraph(fmt::format("{}{}.{}", text, every_row ? "" : " (-v says why)",
                               some_pending ? " The same command again estimates more." : ""),
                   2);
}

/// Rungs that changed after their profile was kept.
std::string about_older(const std::vector<Estimate>& rows) {
  const bool some = std::ranges::any_of(rows, &Estimate::older);
  return some ? "  * as an earlier version of the rung was estimated\n" : "";
}

std::string about_placed(const std::vector<Estimate>& rows) {
  const bool some = std::ranges::any_of(rows, &Estimate::placed);
  return some ? "  + placed by its measured time beside another rung's\n" : "";
}

std::string table_of(const Report& report, const std::string& size, bool color, bool all) {
  const std::string title = fmt::format("{} estimated for {}", size, report.chip);
  std::string text = "  " + paint(title, Color::bold, color) + ", not measured\n";
  text += fmt::format("  {:<{}}{:>9} {:>11} {:>10}  {}\n", "", name_columns, "est. us", "vs best",
                      "occupancy", "limited by");
  const double best = best_of(report.estimates, size);
  const bool every_row = all || report.cases.empty();
  const RowChoice choice(report, best_rung_of(report.estimates, size), every_row);
  const std::string missing = about_missing(report.estimates, size, every_row);
  std::vector<Estimate> rows;
  for (const Estimate& row : report.estimates) {
    if (row.size != size || !choice.shows(row.kind, row.name)) continue;
    rows.push_back(row);
    const std::string line = line_of(row, best, !missing.empty(), choice.label(row.kind, row.name));
    text += row.kind == RowKind::yours ? paint(line, Color::bold, color) : line;
  }
  return text + about_scaling(rows) + about_older(rows) + about_placed(rows) + missing + "\n";
}

/// What the occupancies follow from.
std::string about_registers(const std::vector<Estimate>& rows) {
  const auto known = [](const Estimate& row) { return row.registers > 0; };
  const auto estimated = [](const Estimate& row) { return row.error.empty(); };
  const auto all = std::count_if(rows.begin(), rows.end(), estimated);
  const auto counted = std::count_if(rows.begin(), rows.end(), known);
  if (counted == 0) {
    return "Register counts unknown (no nvcc that compiles this); occupancy assumes 32 registers "
           "per thread. ";
  }
  const Estimate& first = rows.front();
  const std::string yours = known(first) && first.kind == RowKind::yours
                                ? fmt::format(" (yours: {} per thread)", first.registers)
                                : "";
  return "Occupancy follows from the register counts of ptxas" + yours +
         (counted < all ? "; it assumes 32 per thread where nvcc does not compile the file. "
                        : ". ");
}

}  // namespace

std::string estimates_tables(const Report& report, bool color, bool all) {
  std::string text;
  std::vector<std::string> sizes;
  const bool every_size = all || report.cases.empty();
  for (const Estimate& row : report.estimates) {
    if (std::find(sizes.begin(), sizes.end(), row.size) != sizes.end()) continue;
    sizes.push_back(row.size);
    if (every_size || row.size == shown_size(report))
      text += table_of(report, row.size, color, all);
  }
  if (text.empty() || !all) return text;
  return text +
         paragraph(about_registers(report.estimates) +
                       "Estimates rank kernels; they are not times. docs/estimate.md says how "
                       "accurate they are.",
                   2) +
         "\n";
}

}  // namespace kata

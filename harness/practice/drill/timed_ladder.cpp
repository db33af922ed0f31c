#include "practice/drill/timed_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compile/sources.h"
#include "practice/drill/helpers.h"
#include "practice/drill/reading.h"
#include "support/text.h"
#include "timing/measured_times.h"

namespace kata::drill {
namespace {

/// "limit (copy)" -> "copy"
std::string limit_name(const std::vector<TimingRow>& rows) {
  for (const TimingRow& row : rows) {
    if (row.kind == RowKind::limit) return row.name.substr(7, row.name.size() - 8);
  }
  return {};
}

}  // namespace

Result<std::vector<TimedSize>> timed_sizes(const Problem& problem) {
  const Result<MeasuredTimes> times = measured_times(problem);
  if (!times) return times.error();
  const std::vector<Rung> rungs = ladder(problem.name);
  std::vector<TimedSize> sizes;
  for (const Shape& shape : problem.bench_shapes) {
    const std::vector<TimingRow> rows = rows_at(times->rows, kata::to_string(shape));
    TimedSize size{times->device, times->date, shape, {}, limit_name(rows)};
    for (const Rung& rung : rungs) {
      const TimingRow* const row = find_row(rows, rung.name);
      if (row && row->median_us > 0) size.rungs.push_back({rung, *row});
    }
    if (!size.rungs.empty() && !size.limit.empty()) sizes.push_back(std::move(size));
  }
  return sizes;
}

Result<TimedSize> timed_size(const Problem& problem, const std::string& size) {
  const Result<std::vector<TimedSize>> sizes = timed_sizes(problem);
  if (!sizes) return sizes.error();
  for (const TimedSize& one : *sizes) {
    if (kata::to_string(one.shape) == size) return one;
  }
  return Error{fmt::format("{} has no times at {} any more", problem.name, size)};
}

const TimedRung* find_rung(const TimedSize& size, const std::string& name) {
  const auto found = std::find_if(size.rungs.begin(), size.rungs.end(),
                                  [&](const TimedRung& one) { return one.rung.name == name; });
  return found == size.rungs.end() ? nullptr : &*found;
}

std::string code_of(const std::vector<std::pair<std::string, Rung>>& rungs) {
  std::string kernels;
  std::vector<Listing> listings;
  for (const auto& [name, rung] : rungs) {
    auto sources = read_sources({rung.path}, {});
    if (!sources) return {};
    listings.push_back(
        {without_comments(sources->front().text), {sources->begin() + 1, sources->end()}});
    kernels += fmt::format("---- {} ----\n{}\n", name, listings.back().kernel);
  }
  return kernels + used_code(listings);
}

std::string time_text(double us, double beside) {
  return std::max(us, beside) < 1e4 ? fmt::format("{:.1f} us", us)
                                    : fmt::format("{:.1f} ms", us / 1e3);
}

std::string share_text(double share) {
  if (share >= 1.005) return "faster than the limit, which is an estimate";
  return fmt::format("{} % of the limit", share < 0.1 ? fmt::format("{:.2g}", 100 * share)
                                                      : fmt::format("{:.0f}", 100 * share));
}

std::string factor_text(double factor) {
  return fmt::format("{:.{}f}", factor, factor < 10 ? 2 : factor < 100 ? 1 : 0);
}

int points_for_factor(double answer, double truth, int most) {
  constexpr double full = 1.2, none = 3;
  if (answer <= 0) return 0;
  const double off = std::abs(std::log(answer / truth));
  const double share = (std::log(none) - off) / (std::log(none) - std::log(full));
  return static_cast<int>(std::lround(most * std::clamp(share, 0.0, 1.0)));
}

std::string factor_remark(double answer, double truth, int most) {
  const double off = std::max(answer / truth, truth / answer);
  return points_for_factor(answer, truth, most) == most
             ? ""
             : fmt::format("; {:g} is too {} by a factor of {}", answer,
                           answer < truth ? "low" : "high", factor_text(off));
}

int level_of_lines(std::ptrdiff_t lines) {
  constexpr std::ptrdiff_t most_lines[] = {120, 250, 400};
  return 1 + static_cast<int>(std::ranges::lower_bound(most_lines, lines) - most_lines);
}

int level_of_code(const std::string& code) {
  return level_of_lines(std::ranges::count(code, '\n'));
}

LinesByFile lines_by_file(const Rung& rung) {
  LinesByFile lines;
  const auto sources = read_sources({rung.path}, {});
  if (!sources) return lines;
  for (const SourceFile& one : *sources) {
    lines[one.path] =
        static_cast<int>(std::ranges::count_if(lines_of(one.text), [](const std::string& line) {
          const std::string_view code = trimmed(line);
          return !code.empty() && !code.starts_with("//");
        }));
  }
  return lines;
}

}  // namespace kata::drill

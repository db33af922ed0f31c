#include "report/text/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "report/launches.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t gutter_width = 27;  ///< up to the line's number
constexpr int most_context = 3;  ///< lines in a row that touch no memory; more are left out

std::vector<std::string> lines_of_file(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    lines.push_back(line);
  }
  return lines;
}

/// "4", "12.5": per request.
std::string per_request(std::uint64_t amount, std::uint64_t requests) {
  const double value = static_cast<double>(amount) / static_cast<double>(requests);
  const std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

LineCounter counter(const std::string& name, const AccessCount& count, std::uint64_t kernel_total) {
  const std::uint64_t ideal = count.turns ? count.requests : transfers(count) - excess(count);
  const double share = kernel_total ? 100.0 * static_cast<double>(transfers(count)) /
                                          static_cast<double>(kernel_total)
                                    : 0;
  const bool has_ways = count.wavefronts || count.turns;
  const unsigned ways = has_ways ? count.worst.needed / std::max(count.worst.ideal, 1u) : 0;
  return {.name = name,
          .amounts = per_request(transfers(count), count.requests) + "/" +
                     per_request(ideal, count.requests),
          .ways = ways > 1 ? fmt::format("{}-way", ways) : "",
          .percent = static_cast<int>(std::lround(share)),
          .wasteful = 2 * transfers(count) >= 3 * ideal};
}

/// Where the function that this line is in begins, as far as words tell.
std::size_t start_of_function(const std::vector<std::string>& source, std::size_t line) {
  for (std::size_t i = line + 1; i-- > 0;) {
    if (source[i].find("__global__") != std::string::npos ||
        source[i].find("__device__") != std::string::npos)
      return i;
  }
  return line;
}

/// One file of one kernel.
class Listing {
 public:
  Listing(const KernelRecord& kernel, const std::string& file, const std::vector<Finding>& findings,
          bool color)
      : kernel_(kernel), findings_(findings), color_(color), source_(lines_of_file(file)) {
    for (const LineRecord& line : kernel.lines) {
      if (line.file == file && line.line > 0) counted_[line.line] = &line;
    }
    for (const auto& [number, line] : counted_) show_with_context(number);
    indent_ = common_indent();
  }

  std::string text() const {
    std::string text;
    int last = 0;
    for (const int number : shown_) {
      if (last > 0 && number > last + 1)
        text += paint(fmt::format("{:>{}} :", "", gutter_width + 4), Color::dim, color_) + "\n";
      text += line_text(number);
      last = number;
    }
    return text;
  }

 private:
  void show_with_context(int number) {
    const auto index = static_cast<std::size_t>(number) - 1;
    shown_.insert(number);
    if (index >= source_.size()) return;
    const int start = static_cast<int>(start_of_function(source_, index)) + 1;
    shown_.insert(start);
    const auto before = counted_.find(number);
    const int previous =
        before == counted_.begin() ? start : std::max(std::prev(before)->first, start);
    if (number - previous - 1 <= most_context) {
      for (int i = previous; i < number; ++i) shown_.insert(i);
    } else {
      shown_.insert(number - 1);
    }
  }

  std::string code_of(int number) const {
    const auto index = static_cast<std::size_t>(number) - 1;
    return index < source_.size() ? source_[index] : std::string();
  }

  std::size_t common_indent() const {
    std::size_t least = width;
    for (const int number : shown_) {
      const std::size_t indent = code_of(number).find_first_not_of(" \t");
      if (indent != std::string::npos) least = std::min(least, indent);
    }
    return least;
  }

  bool is_advised(int number, const std::string& file) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& one) {
      return one.severity == Severity::advice && one.line == number && one.file == file &&
             one.kernel == kernel_.name;
    });
  }

  /// Code that touches memory is broken over rows where it is long; of the rest one row is shown.
  std::string line_text(int number) const {
    const auto counted = counted_.find(number);
    const std::vector<LineCounter> rows = counted == counted_.end()
                                              ? std::vector<LineCounter>()
                                              : counters_of(*counted->second, kernel_);
    const bool advised = counted != counted_.end() && is_advised(number, counted->second->file);
    std::string code = code_of(number);
    code.erase(0, std::min(indent_, code.size()));
    std::string text;
    for (std::size_t i = 0; i < std::max<std::size_t>(rows.size(), 1) || !code.empty(); ++i) {
      const std::string margin = i == 0 ? std::to_string(number) : "";
      text +=
          gutter(i < rows.size() ? &rows[i] : nullptr, advised) +
          paint(fmt::format("{:>4} | ", margin), Color::dim, color_) +
          paint(take_row(code, rows.empty()), rows.empty() ? Color::dim : Color::plain, color_) +
          "\n";
    }
    return text + advice_text(counted);
  }

  std::string gutter(const LineCounter* row, bool advised) const {
    if (!row) return std::string(gutter_width, ' ');
    const bool marked = advised && row->wasteful;
    const std::string numbers =
        fmt::format("{:<4}{:>9} {:>6} {:>3}%", row->name, row->amounts, row->ways, row->percent);
    const std::string text = fmt::format("{:<{}}", (marked ? "! " : "  ") + numbers, gutter_width);
    return paint(text, marked ? Color::red : row->wasteful ? Color::yellow : Color::plain, color_);
  }

  /// Takes as much of `code` as fits; the last row is cut where it does not fit.
  static std::string take_row(std::string& code, bool last) {
    constexpr std::size_t room = width - gutter_width - 7;
    if (code.size() <= room) return std::exchange(code, "");
    if (last) return std::exchange(code, "").substr(0, room - 2) + "..";
    const std::size_t space = code.rfind(' ', room);
    const std::size_t first = code.find_first_not_of(' ');
    const std::size_t end = space == std::string::npos || space <= first ? room : space;
    std::string row = code.substr(0, end);
    code = std::string(first + 4, ' ') + code.substr(code.find_first_not_of(' ', end));
    return row;
  }

  std::string advice_text(std::map<int, const LineRecord*>::const_iterator counted) const {
    if (counted == counted_.end()) return {};
    std::string text;
    for (const Finding& one : findings_) {
      if (one.severity != Severity::advice || one.line != counted->first ||
          one.file != counted->second->file || one.kernel != kernel_.name)
        continue;
      text +=
          paint(paragraph(fmt::format("{}: {}; {}", to_string(one.kind), one.message, one.note), 6),
                Color::yellow, color_);
    }
    return text;
  }

  const KernelRecord& kernel_;
  const std::vector<Finding>& findings_;
  bool color_;
  std::vector<std::string> source_;
  std::map<int, const LineRecord*> counted_;
  std::set<int> shown_;
  std::size_t indent_ = 0;
};

std::string heading(const KernelSum& one, bool color) {
  const auto triple = [](const std::array<unsigned, 3>& t) {
    return t[2] > 1   ? fmt::format("({},{},{})", t[0], t[1], t[2])
           : t[1] > 1 ? fmt::format("({},{})", t[0], t[1])
                      : std::to_string(t[0]);
  };
  const KernelRecord& kernel = one.sum;
  return "  " + paint(kernel.name, Color::bold, color) +
         fmt::format("<<<{}, {}>>>{}, {:.1f} lanes active{}\n", triple(kernel.grid),
                     triple(kernel.block),
                     one.launches > 1 ? fmt::format(", {} launches", one.launches) : "",
                     kernel.active_lanes(),
                     kernel.of_machine_code     ? ", in nvcc's machine code"
                     : !kernel.by_rules.empty() ? ", counted by rules: " + kernel.by_rules
                                                : "");
}

}  // namespace

std::vector<LineCounter> counters_of(const LineRecord& line, const KernelRecord& kernel) {
  const std::uint64_t sectors = kernel.global_load.sectors + kernel.global_store.sectors;
  const std::uint64_t wavefronts = kernel.shared_load.wavefronts + kernel.shared_store.wavefronts;
  std::vector<LineCounter> counters;
  const auto add = [&](const char* name, const AccessCount& count, std::uint64_t total) {
    if (count.requests > 0) counters.push_back(counter(name, count, total));
  };
  add("LDG", line.global_load, sectors);
  add("STG", line.global_store, sectors);
  add("LDS", line.shared_load, wavefronts);
  add("STS", line.shared_store, wavefronts);
  add("ATOM", line.atomic, kernel.atomic.turns);
  return counters;
}

std::string annotated_lines(const std::vector<KernelRecord>& kernels,
                            const std::vector<Finding>& findings, bool color) {
  std::string text;
  for (const KernelSum& one : by_kernel(kernels)) {
    std::set<std::string> files;
    for (const LineRecord& line : one.sum.lines) {
      if (line.line > 0) files.insert(line.file);
    }
    if (files.empty()) continue;
    text += heading(one, color);
    for (const std::string& file : files) {
      text += paint(fmt::format("  {:<4}{:>9} {:>6} {:>4}   {}\n", "", "per req.", "worst", "share",
                                shown(file)),
                    Color::dim, color) +
              Listing(one.sum, file, findings, color).text();
    }
    text += "\n";
  }
  if (text.empty()) return text;
  return text +
         "  LDG, STG: sectors/ideal of a warp's global loads and stores. LDS, STS: wave-\n"
         "  fronts/fewest of shared memory. ATOM: turns/fewest of atomics. Share: of the\n"
         "  kernel's sectors, wavefronts or turns. ! has advice.\n\n";
}

}  // namespace kata

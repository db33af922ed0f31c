#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/html.h"

namespace kata::html {
namespace {

const char* class_of(const PageRow& row) {
  switch (row.kind) {
    case RowKind::yours:
      return "yours";
    case RowKind::library:
      return "library";
    case RowKind::limit:
      return "limit";
    case RowKind::rung:
      break;
  }
  return "rung";
}

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f} %", value, value < 1 ? 2 : 0);
}

/// "1" of "1_naive"; else the first letter, large.
std::string mark_of(const PageRow& row) {
  if (row.kind == RowKind::yours) return "you";
  return row.name.substr(0, row.name.find('_'));
}

// The image's own units; a phone shows it at three quarters of them.
constexpr double width = 480, height = 400;
constexpr double left = 74, right = 466, top = 16, bottom = 346;

/// A logarithmic axis: powers of ten from `low` to `high` between two places.
struct Axis {
  int low, high;
  double from, to;

  double at(double value) const {
    return from + (to - from) * (std::log10(value) - low) / (high - low);
  }
};

Axis axis_over(std::vector<double> values, double from, double to) {
  std::erase_if(values, [](double value) { return !(value > 0) || !std::isfinite(value); });
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {static_cast<int>(std::floor(std::log10(*least))),
          static_cast<int>(std::ceil(std::log10(*most))), from, to};
}

/// 1e9 -> "1 G", 0.01 -> "0.01"
std::string power_of_ten(int exponent) {
  if (exponent < 0) return fmt::format("{:.{}f}", std::pow(10, exponent), -exponent);
  const char* const prefixes[] = {"", " k", " M", " G", " T", " P"};
  return fmt::format("{:.0f}{}", std::pow(10, exponent % 3),
                     prefixes[std::min<std::size_t>(static_cast<std::size_t>(exponent) / 3, 5)]);
}

std::string line(const char* css, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css, x1, y1,
      x2, y2);
}

std::string label(const char* css, double x, double y, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css, x, y,
                     escaped(text));
}

std::string grid(const Axis& x, const Axis& y, const Page& page) {
  std::string text;
  for (int i = x.low; i <= x.high; ++i) {
    const double place = x.at(std::pow(10, i));
    text += line("grid", place, top, place, bottom) +
            label("tick middle", place, bottom + 21, power_of_ten(i));
  }
  for (int i = y.low; i <= y.high; ++i) {
    const double place = y.at(std::pow(10, i));
    text += line("grid", left, place, right, place) +
            label("tick end", left - 6, place + 5, power_of_ten(i));
  }
  const std::string what = page.counts_elements ? "elements" : "operations";
  return text +
         label("axis middle", (left + right) / 2, height - 10, what + " per byte of memory") +
         fmt::format(
             "<text class=\"axis middle\" transform=\"translate(14 {:.0f}) rotate(-90)\">"
             "{} per second</text>\n",
             (top + bottom) / 2, what);
}

/// The part of the roof that the axes show: its slope, its flat, or both.
std::string roof_lines(const Axis& x, const Axis& y, const Roof& roof) {
  const double most = std::min(std::pow(10, y.high), roof.operations_per_s);
  const double first = std::max(std::pow(10, x.low), std::pow(10, y.low) / roof.bytes_per_s);
  const double last = std::pow(10, x.high), end = std::min(most / roof.bytes_per_s, last);
  std::string text;
  if (first < end) {
    const double middle = std::sqrt(first * end);
    text += line("roof", x.at(first), y.at(roof.at(first)), x.at(end), y.at(roof.at(end))) +
            label("roofname end", x.at(middle) - 8, y.at(roof.at(middle)) - 8,  // rungs are below
                  fmt::format("{:.0f} GB/s", roof.bytes_per_s / 1e9));
  }
  if (most < roof.operations_per_s || roof.ridge() >= last) return text;
  return text + line("roof", x.at(std::max(first, end)), y.at(most), x.at(last), y.at(most)) +
         label("roofname end", right, y.at(most) - 8, fmt::format("{:.1f} TFLOP/s", most / 1e12));
}

/// Labels that would lie on each other move down.
class Labels {
 public:
  double place(double x, double y) {
    const auto taken = [&](const std::pair<double, double>& other) {
      return std::fabs(other.first - x) < 30 && std::fabs(other.second - y) < 15;
    };
    while (std::any_of(placed_.begin(), placed_.end(), taken)) y += 3;
    placed_.emplace_back(x, y);
    return y;
  }

 private:
  std::vector<std::pair<double, double>> placed_;
};

bool has_point(const PageRow& row) {
  return row.us > 0 && row.memory_bytes > 0;
}

RooflinePoint point_of(const PageRow& row, const Page& page) {
  return {.operations = page.operations, .bytes = row.memory_bytes, .seconds = 1e-6 * row.us};
}

std::string points(const Axis& x, const Axis& y, const Page& page) {
  std::string text;
  Labels labels;
  // From the top down, so that a label that moves finds its place free.
  std::vector<const PageRow*> rows;
  for (const PageRow& row : page.rows) {
    if (has_point(row)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PageRow* a, const PageRow* b) { return a->us < b->us; });
  for (const PageRow* row : rows) {
    const RooflinePoint point = point_of(*row, page);
    const double px = x.at(point.intensity()), py = y.at(point.rate());
    const double at = labels.place(px, py);
    text += fmt::format(
        "<g class=\"{}\" data-name=\"{}\"><title>{}: {:.1f} us{}, {:.3g} per byte, {:.3g} T/s, {} "
        "of "
        "its roof</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>",
        class_of(*row), escaped(row->name), escaped(row->name), row->us,
        row->estimated ? " (estimated)" : "", point.intensity(), point.rate() / 1e12,
        percent(point.rate() / page.roof.at(point.intensity())), px, py);
    if (at > py + 4) {
      text += fmt::format("<path class=\"lead\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", px, py,
                          px + 9, at);
    }
    text += fmt::format("<text class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n", px + 10,
                        at + 5, escaped(mark_of(*row)));
  }
  return text;
}

}  // namespace

std::string bars(const Page& page) {
  std::string rows;
  double longest = 1;
  for (const PageRow& row : page.rows) longest = std::max(longest, row.of_limit);
  for (const PageRow& row : page.rows) {
    if (row.us <= 0) continue;
    rows += fmt::format(
        "<li class=\"{}{}\" data-name=\"{}\" data-us=\"{:.1f}\"><span class=\"name\">{}</span>"
        "<span class=\"track\"><span class=\"bar\" style=\"width:{:.2f}%\"></span></span>"
        "<span class=\"value\">{:.1f} us</span><span class=\"share\">{}</span></li>\n",
        class_of(row), row.estimated ? " estimated" : "", escaped(row.name), row.us,
        escaped(row.name), 100 * row.of_limit / longest, row.us, percent(row.of_limit));
  }
  return fmt::format(
             "<h3>The ladder at {}</h3>\n<p>Time of one call and share of the limit, {}.{}</p>\n",
             escaped(page.size), escaped(page.origin),
             std::any_of(page.rows.begin(), page.rows.end(),
                         [](const PageRow& row) { return row.estimated; })
                 ? " Striped: estimated, not measured."
                 : "") +
         "<ol class=\"bars\">\n" + rows + "</ol>\n";
}

std::string roofline(const Page& page) {
  std::vector<double> intensities, rates;
  for (const PageRow& row : page.rows) {
    if (!has_point(row)) continue;
    const RooflinePoint point = point_of(row, page);
    intensities.push_back(point.intensity());
    rates.insert(rates.end(), {point.rate(), page.roof.at(point.intensity())});
  }
  if (rates.empty()) return {};
  const Axis x = axis_over(intensities, left, right), y = axis_over(rates, bottom, top);
  return fmt::format(
             "<h3>Roofline of the {}</h3>\n<p>The numbers are the rungs. Up is faster, to the "
             "right "
             "is less traffic. The roof is the datasheet's; bytes are those that the emulator "
             "predicts, times as above.{}</p>\n",
             escaped(page.roof.chip),
             page.counts_elements ? " There is no arithmetic, so an element moved is one operation."
                                  : "") +
         fmt::format(
             "<svg class=\"roofline\" role=\"img\" aria-label=\"Roofline of {}\" "
             "viewBox=\"0 0 {:.0f} {:.0f}\">\n",
             escaped(page.operator_name), width, height) +
         grid(x, y, page) + roof_lines(x, y, page.roof) + points(x, y, page) + "</svg>\n";
}

}  // namespace kata::html

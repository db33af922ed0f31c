#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/html/views.h"

namespace kata::html {
namespace {

using Json = nlohmann::json;

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

/// "1" of "1_naive"; else the first letter, large.
std::string mark_of(const PageRow& row) {
  if (row.kind == RowKind::yours) return "you";
  return row.name.substr(0, row.name.find('_'));
}

std::string tenths(double value) {
  return fmt::format("{:.1f}", value);
}

// The image's own units; a phone shows it at three quarters of them.
constexpr double width = 480, height = 404;
// Beside the box there is room for half of a label of five digits, which ends an axis.
constexpr double left = 74, right = 454, top = 22, bottom = 346;

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
  const int low = static_cast<int>(std::floor(std::log10(*least)));
  return {low, std::max(low + 1, static_cast<int>(std::ceil(std::log10(*most)))), from, to};
}

/// 1e9 -> "1 G", 0.01 -> "0.01"
std::string power_of_ten(int exponent) {
  if (exponent < 0) return fmt::format("{:.{}f}", std::pow(10, exponent), -exponent);
  const char* const prefixes[] = {"", " k", " M", " G", " T", " P"};
  return fmt::format("{:.0f}{}", std::pow(10, exponent % 3),
                     prefixes[std::min<std::size_t>(static_cast<std::size_t>(exponent) / 3, 5)]);
}

Json ticks(const Axis& axis) {
  Json result = Json::array();
  for (int i = axis.low; i <= axis.high; ++i) {
    result.push_back({{"at", tenths(axis.at(std::pow(10, i)))}, {"tick", power_of_ten(i)}});
  }
  return result;
}

/// Where a text begins or ends, at its baseline.
struct Anchor {
  double x, y;
  bool is_end = false;
};

/// Labels and what they must not cover.
class Labels {
 public:
  void avoid_point(double x, double y, double radius = 7) {
    taken_.push_back({x - radius, y - radius, x + radius, y + radius});
  }
  void avoid_line(double x1, double y1, double x2, double y2) {
    const double steps = std::ceil(std::hypot(x2 - x1, y2 - y1) / 4);
    for (double i = 0; i <= steps; ++i)
      avoid_point(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps, 2);
  }

  /// The first of the places that is inside the chart and free; the last one if none is.
  Anchor place(const std::string& text, const std::vector<Anchor>& places) {
    for (const Anchor& place : places) {
      const Box box = box_of(text, place);
      const bool inside =
          box.left >= left && box.right <= width && box.top >= top && box.bottom <= bottom + 6;
      const auto covers = [&](const Box& other) {
        return box.left < other.right && other.left < box.right && box.top < other.bottom &&
               other.top < box.bottom;
      };
      if (!inside || std::any_of(taken_.begin(), taken_.end(), covers)) continue;
      taken_.push_back(box);
      return place;
    }
    taken_.push_back(box_of(text, places.back()));
    return places.back();
  }

 private:
  struct Box {
    double left, top, right, bottom;
  };

  /// Wide enough for the common sans-serif fonts at 15 units.
  static Box box_of(const std::string& text, const Anchor& place) {
    const double length = 9.6 * static_cast<double>(text.size());
    const double begin = place.is_end ? place.x - length : place.x;
    return {begin, place.y - 15, begin + length, place.y + 5};
  }

  std::vector<Box> taken_;
};

Json line(double x1, double y1, double x2, double y2) {
  return {{"x1", tenths(x1)}, {"y1", tenths(y1)}, {"x2", tenths(x2)}, {"y2", tenths(y2)}};
}

Json label(const std::string& text, const Anchor& place) {
  return {{"label", text}, {"x", tenths(place.x)}, {"y", tenths(place.y)}, {"end", place.is_end}};
}

/// The part of the roof that the axes show: its slope, its flat, or both, each with the places
/// where its name may stand.
struct RoofPart {
  double x1, y1, x2, y2;
  std::string name;
  std::vector<Anchor> places;
};

std::string name_of_flat(const Roof& roof) {
  const std::string rate = fmt::format("{:.1f} TFLOP/s", roof.operations_per_s / 1e12);
  return roof.unit == ArithmeticUnit::fma ? rate
                                          : fmt::format("{}, {}", rate, to_string(roof.unit));
}

std::vector<RoofPart> roof_parts(const Axis& x, const Axis& y, const Roof& roof) {
  std::vector<RoofPart> parts;
  const double most = std::min(std::pow(10, y.high), roof.operations_per_s);
  const double first = std::max(std::pow(10, x.low), std::pow(10, y.low) / roof.bytes_per_s);
  const double last = std::pow(10, x.high), end = std::min(most / roof.bytes_per_s, last);
  if (first < end) {
    RoofPart slope{.x1 = x.at(first),
                   .y1 = y.at(roof.at(first)),
                   .x2 = x.at(end),
                   .y2 = y.at(roof.at(end)),
                   .name = fmt::format("{:.0f} GB/s", roof.bytes_per_s / 1e9),
                   .places = {}};
    for (const bool above : {true, false}) {  // from the middle outwards
      for (const double share : {.5, .4, .6, .3, .7, .2, .8, .1, .9, 1.}) {
        const double at_x = slope.x1 + share * (slope.x2 - slope.x1);
        const double at_y = slope.y1 + share * (slope.y2 - slope.y1);
        slope.places.push_back(above ? Anchor{at_x - 8, at_y - 8, true}
                                     : Anchor{at_x + 12, at_y + 20});
      }
    }
    parts.push_back(slope);
  }
  if (most < roof.operations_per_s || roof.ridge() >= last) return parts;
  RoofPart flat{.x1 = x.at(std::max(first, end)),
                .y1 = y.at(most),
                .x2 = right,
                .y2 = y.at(most),
                .name = name_of_flat(roof),
                .places = {}};
  for (const double below : {-8., 22., 40., 58., 76., 94., 112.}) {
    for (const double share : {1., .8, .6, .4, .2, 0.})
      flat.places.push_back({flat.x1 + share * (right - flat.x1), flat.y1 + below, true});
  }
  parts.push_back(flat);
  return parts;
}

bool has_point(const PageRow& row) {
  return row.us > 0 && row.memory_bytes > 0;
}

RooflinePoint point_of(const PageRow& row, const Page& page) {
  return {.operations = page.operations, .bytes = row.memory_bytes, .seconds = 1e-6 * row.us};
}

/// Beside its point; else below it or above it, with a line that leads there.
std::vector<Anchor> places_around(double x, double y) {
  std::vector<Anchor> places{{x + 10, y + 5}, {x - 10, y + 5, true}};
  for (double far = 10; far < 100; far += 4) {
    for (const double away : {far, -far}) {
      places.push_back({x + 14, y + away + 5});
      places.push_back({x - 14, y + away + 5, true});
    }
  }
  return places;
}

Json points(const Axis& x, const Axis& y, const Page& page, Labels& labels) {
  std::vector<const PageRow*> rows;
  for (const PageRow& row : page.rows) {
    if (!has_point(row)) continue;
    rows.push_back(&row);
    const RooflinePoint point = point_of(row, page);
    labels.avoid_point(x.at(point.intensity()), y.at(point.rate()));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PageRow* a, const PageRow* b) { return a->us < b->us; });
  Json result = Json::array();
  for (const PageRow* row : rows) {
    const RooflinePoint point = point_of(*row, page);
    const double px = x.at(point.intensity()), py = y.at(point.rate());
    const std::string mark = mark_of(*row);
    const Anchor place = labels.place(mark, places_around(px, py));
    Json one = label(mark, place);
    const bool leads = std::fabs(place.y - 5 - py) > 4;
    one["lead"] = leads ? line(px, py, place.x + (place.is_end ? 1 : -1), place.y - 5) : Json();
    one["row_class"] = class_of(*row);
    one["name"] = row->name;
    one["cx"] = tenths(px);
    one["cy"] = tenths(py);
    one["title"] =
        fmt::format("{}: {:.1f} us{}, {:.3g} per byte, {:.3g} T/s, {} of its roof", row->name,
                    row->us, row->estimated ? " (estimated)" : "", point.intensity(),
                    point.rate() / 1e12, percent(point.rate() / page.roof.at(point.intensity())));
    result.push_back(one);
  }
  return result;
}

}  // namespace

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f} %", value, value < 1 ? 2 : 0);
}

Json bars(const std::vector<PageRow>& rows) {
  double longest = 1;
  for (const PageRow& row : rows) longest = std::max(longest, row.of_limit);
  Json result = Json::array();
  for (const PageRow& row : rows) {
    if (row.us <= 0) continue;
    result.push_back({{"row_class", class_of(row)},
                      {"estimated", row.estimated},
                      {"name", row.name},
                      {"link", row.link.empty() ? Json() : Json(row.link)},
                      {"us", tenths(row.us)},
                      {"width", fmt::format("{:.2f}", 100 * row.of_limit / longest)},
                      {"share", percent(row.of_limit)}});
  }
  return result;
}

Json roofline(const Page& page) {
  std::vector<double> intensities, rates;
  for (const PageRow& row : page.rows) {
    if (!has_point(row)) continue;
    const RooflinePoint point = point_of(row, page);
    intensities.push_back(point.intensity());
    rates.insert(rates.end(), {point.rate(), page.roof.at(point.intensity())});
  }
  if (rates.empty()) return {};
  const Axis x = axis_over(intensities, left, right), y = axis_over(rates, bottom, top);
  Json chart = {{"chip", page.roof.chip},
                {"operator", page.operator_name},
                {"counts_elements", page.counts_elements},
                {"what", page.counts_elements ? "elements" : "operations"},
                {"box", line(left, top, right, bottom)},
                {"columns", ticks(x)},
                {"lines", ticks(y)},
                {"roof", Json::array()},
                {"roof_names", Json::array()}};
  Labels labels;
  const std::vector<RoofPart> roof = roof_parts(x, y, page.roof);
  for (const RoofPart& part : roof) {
    labels.avoid_line(part.x1, part.y1, part.x2, part.y2);
    chart["roof"].push_back(line(part.x1, part.y1, part.x2, part.y2));
  }
  chart["points"] = points(x, y, page, labels);
  for (const RoofPart& part : roof)
    chart["roof_names"].push_back(label(part.name, labels.place(part.name, part.places)));
  return chart;
}

}  // namespace kata::html

#pragma once
// What templates show, as JSON: numbers are formatted, places are computed, nothing is HTML yet.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/html/page.h"

namespace kata::html {

/// "41 %"
std::string percent(double share);

/// The times of one size, longest at the limit: bars.html.
nlohmann::json bars(const std::vector<PageRow>& rows);

/// Attainable and attained operations per second over operations per byte: roofline.html. Null if
/// no row has a point.
nlohmann::json roofline(const Page& page);

/// All of a report about one operator: report_section.html.
nlohmann::json section(const Page& page);

/// The lines of a text with each line's counters, behind its header comment unless that is wanted
/// too: code.html.
nlohmann::json code(const PageRow& row, bool with_header = false);

/// What changed between two texts: difference.html. An empty list if nothing did.
nlohmann::json difference(const std::string& before, const std::string& after);

/// A line or several in colours, each a list of spans: spans.html.
nlohmann::json colored_lines(const std::string& source);

}  // namespace kata::html

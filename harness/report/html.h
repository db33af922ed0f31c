#pragma once
// Pages as one HTML file that needs nothing else: no network, no scripts, no fonts.

#include <string>
#include <vector>

#include "report/page.h"

namespace kata {

/// One document with a section for each operator, and an index where there are several.
std::string to_html(const std::vector<Page>& pages);

namespace html {

/// With &, <, > and quotes written as entities.
std::string escaped(const std::string& text);

/// The ladder as bars, longest at the limit.
std::string bars(const Page& page);

/// Attainable and attained operations per second over operations per byte, as an SVG image.
std::string roofline(const Page& page);

/// What every rung asks of memory, as the emulator counted it.
std::string counters(const Page& page);

/// Each text with its lines' counters, beside what it changed of the one before.
std::string sources(const Page& page);

extern const char* const style;

}  // namespace html
}  // namespace kata

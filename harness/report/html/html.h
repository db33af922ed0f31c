#pragma once
// Pages as one HTML file that needs nothing else: no network, no scripts, no fonts.

#include <string>
#include <vector>

#include "report/html/page.h"
#include "support/result.h"

namespace kata {

/// One document with a section for each operator, and an index where there are several. An Error
/// names the template that is missing or broken.
Result<std::string> to_html(const std::vector<Page>& pages);

}  // namespace kata

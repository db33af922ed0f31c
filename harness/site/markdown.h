#pragma once
// A page of Markdown (GitHub's dialect) as HTML, and what a search finds in it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/html/templates.h"
#include "support/result.h"

namespace kata::site {

/// A heading and its text.
struct Section {
  std::string anchor;   ///< "what-it-costs", as GitHub names it
  std::string heading;  ///< without marks
  std::string text;     ///< words alone, without tables of numbers
  bool hidden = false;  ///< behind a click: an answer or a hint
};

struct Document {
  std::string title;  ///< its first heading
  std::string html;
  std::vector<Section> sections;
};

/// Where a link of the page leads in the site; nothing if it leads nowhere.
using Resolve = std::function<std::optional<std::string>(const std::string& target)>;

/// Links to other hosts stay; a link that leads nowhere becomes plain text. C++ is coloured.
Result<Document> render_markdown(const std::string& text, const Resolve& resolve,
                                 const Templates& templates);

}  // namespace kata::site

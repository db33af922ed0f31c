#pragma once
// `kata site`: exercises, ladders and docs as static pages, found by folder.

#include <optional>
#include <string>
#include <vector>

#include "practice/history.h"
#include "support/result.h"

namespace kata::site {

struct File {
  std::string path;  ///< in the site: "exercises/relu/index.html"
  std::string content;
};

struct Site {
  std::vector<File> files;
  std::vector<std::string> broken_links;  ///< "docs/reading.md: measured/none.md"
};

/// Everything that the tree holds, and the person's attempts if they are given. Nothing is compiled
/// or run: times and profiles are those that are kept with the ladders.
Result<Site> make_site(const std::optional<std::vector<Attempt>>& mine);

}  // namespace kata::site

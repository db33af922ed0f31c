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

/// Who shows the pages: a server has some that a folder of files has not.
enum class Where { folder, server };

/// Everything that the tree holds, and the person's attempts if they are given. Nothing is compiled
/// or run: times and profiles are those that are kept with the ladders.
Result<Site> make_site(const std::optional<std::vector<Attempt>>& mine,
                       Where where = Where::folder);

/// The pages of the attempts alone, for a server.
Result<Site> make_attempts(const std::vector<Attempt>& mine);

}  // namespace kata::site

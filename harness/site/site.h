#pragma once
// `kata site`: exercises, ladders and docs as static pages, found by folder.

#include <optional>
#include <stop_token>
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
/// or run: times and profiles are those that are kept with the ladders. An Error if it is stopped.
Result<Site> make_site(const std::optional<std::vector<Attempt>>& mine, Where where = Where::folder,
                       std::stop_token stop = {});

/// The pages of the attempts alone, for a server.
Result<Site> make_attempts(const std::vector<Attempt>& mine);

/// One page alone, for a server: of a rung or a document. No page if it is of none.
Result<Site> make_page(const std::string& page);

/// Whether the tree has a file or folder that a page of this path would show.
bool has_source(const std::string& page);

}  // namespace kata::site

#pragma once
// What all pages of the site share: addresses, templates, the search index.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/html/templates.h"
#include "site/markdown.h"
#include "site/site.h"
#include "support/result.h"

namespace kata::site {

using Json = nlohmann::json;

/// A page before or after another: what the keys j and k lead to.
struct Neighbours {
  std::string previous = {}, next = {}, up = {};  ///< paths in the site; empty: none
};

/// A path in the tree from one that begins with root(). By its name: a folder may be a link to one
/// outside of the tree.
std::filesystem::path in_tree(const std::filesystem::path& path);

/// The page of a file or folder of the tree: "docs/reading.md" -> "docs/reading.html",
/// "exercises/relu" -> "exercises/relu/index.html", "solutions/relu/1_x.cu" -> ".../1_x.cu.html".
std::string page_of(const std::filesystem::path& file);

/// How a page links to another, both as paths in the site.
std::string relative(const std::string& from, const std::string& to);

class Builder {
 public:
  Builder(Templates templates, bool with_mine, Where where, std::stop_token stop = {});

  /// Fills in a template with the values of a page, besides those that all pages have. An Error,
  /// too, if nobody waits for the pages any more.
  std::optional<Error> add_page(const std::string& path, const std::string& template_name,
                                const std::string& title, Json values,
                                const Neighbours& neighbours = {});
  void add_file(const std::string& path, std::string content);

  /// Something that the search finds. `hidden` is found, and not shown beside the link.
  void index(const std::string& address, const std::string& title, const std::string& text,
             bool hidden = false);

  /// Markdown of a file of the tree, for a page of the site; its sections are indexed.
  Result<Document> document(const std::filesystem::path& file, const std::string& page);

  /// How `page` links to a file or folder of the tree, whose page is then wanted. Nothing if there
  /// is no such file.
  std::optional<std::string> link(const std::string& page, const std::filesystem::path& file);

  /// Files and folders that pages link to and that have no page yet.
  std::vector<std::filesystem::path> wanted() const;

  /// The search index is the last file.
  Site finish();

 private:
  Templates templates_;
  bool with_mine_;
  Where where_;
  std::stop_token stop_;
  Site site_;
  std::set<std::string> paths_;
  std::set<std::filesystem::path> linked_;
  Json index_ = Json::array();
};

// Each adds the pages of one kind.

std::optional<Error> add_operators(Builder& builder,
                                   const std::optional<std::vector<Attempt>>& mine);
/// The rung or document that has this page, and no other.
std::optional<Error> add_rung(Builder& builder, const std::string& page);
std::optional<Error> add_document(Builder& builder, const std::string& page);
std::optional<Error> add_documents(Builder& builder);
std::optional<Error> add_attempts(Builder& builder, const std::vector<Attempt>& attempts);

/// "exercises/relu/index.html"
std::string operator_page(const std::string& operator_name);
/// "mine/relu/index.html"
std::string attempts_page(const std::string& operator_name);

}  // namespace kata::site

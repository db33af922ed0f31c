// Documents, and pages of the other files that they link to.
#include <fmt/format.h>

#include <algorithm>

#include "report/html/views.h"
#include "site/builder.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::site {
namespace {

/// Markdown in docs/ and harness/, and README.md: paths in the tree.
std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  std::error_code failed;
  for (const char* folder : {"docs", "harness"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder, failed))
      if (entry.path().extension() == ".md") found.push_back(in_tree(entry.path()));
  }
  if (fs::exists(root() / "README.md")) found.emplace_back("README.md");
  std::sort(found.begin(), found.end());
  return found;
}

std::string neighbour(const std::vector<fs::path>& all, std::size_t i) {
  return i < all.size() ? page_of(all[i]) : "";
}

std::optional<Error> add_source(Builder& builder, const fs::path& path) {
  const std::optional<std::string> text = read_file(root() / path);
  if (!text) return Error{fmt::format("cannot read {}", path.string())};
  PageRow row{.name = path.filename().string(), .path = path.string(), .source = *text};
  return builder.add_page(page_of(path), "source.html", path.string(),
                          {{"path", path.string()}, {"lines", html::code(row, true)}},
                          {.up = "docs/index.html"});
}

/// A folder's files, each a link to its page, which is then wanted too; and its folders' names.
std::optional<Error> add_folder(Builder& builder, const fs::path& path) {
  const std::string page = page_of(path);
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(root() / path))
    entries.push_back(in_tree(entry.path()));
  std::sort(entries.begin(), entries.end());
  Json items = Json::array();
  for (const fs::path& entry : entries) {
    if (entry.filename().string().starts_with('.')) continue;
    const auto link = fs::is_directory(root() / entry) ? std::nullopt : builder.link(page, entry);
    items.push_back({{"item", entry.filename().string()}, {"link", link ? Json(*link) : Json()}});
  }
  return builder.add_page(page, "folder.html", path.string(),
                          {{"path", path.string()}, {"items", items}}, {.up = "docs/index.html"});
}

std::optional<Error> add_wanted(Builder& builder, const fs::path& path) {
  const std::string page = page_of(path);
  if (fs::is_directory(root() / path)) return add_folder(builder, path);
  if (page != path.generic_string()) return add_source(builder, path);
  builder.add_file(page, read_file(root() / path).value_or(""));  // a picture
  return {};
}

/// Its title.
Result<std::string> add_document(Builder& builder, const std::vector<fs::path>& all,
                                 std::size_t i) {
  const std::string page = page_of(all[i]);
  const Result<Document> document = builder.document(all[i], page);
  if (!document) return document.error();
  const Neighbours around{
      .previous = neighbour(all, i - 1), .next = neighbour(all, i + 1), .up = "docs/index.html"};
  if (auto failed = builder.add_page(page, "document.html", document->title,
                                     {{"body", document->html}}, around))
    return *failed;
  return document->title;
}

}  // namespace

std::optional<Error> add_document(Builder& builder, const std::string& page) {
  const std::vector<fs::path> all = documents();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (page_of(all[i]) != page) continue;
    const Result<std::string> title = add_document(builder, all, i);
    return title ? std::nullopt : std::optional(title.error());
  }
  return {};
}

std::optional<Error> add_documents(Builder& builder) {
  const std::vector<fs::path> all = documents();
  Json general = Json::array(), measured = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Result<std::string> title = add_document(builder, all, i);
    if (!title) return title.error();
    Json& list = all[i].parent_path() == "docs/measured" ? measured : general;
    list.push_back({{"item", *title}, {"link", relative("docs/index.html", page_of(all[i]))}});
  }
  if (auto failed =
          builder.add_page("docs/index.html", "docs.html", "Documents",
                           {{"general", general}, {"measured", measured}}, {.up = "index.html"}))
    return failed;
  for (auto wanted = builder.wanted(); !wanted.empty(); wanted = builder.wanted()) {
    for (const fs::path& path : wanted) {  // a folder's page wants more
      if (auto failed = add_wanted(builder, path)) return failed;
    }
  }
  return {};
}

}  // namespace kata::site

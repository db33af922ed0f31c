#include "site/site.h"

#include "site/builder.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::site {

Result<Site> make_site(const std::optional<std::vector<Attempt>>& mine, Where where,
                       std::stop_token stop) {
  Result<Templates> templates = Templates::read({"report/html", "site"});
  if (!templates) return templates.error();
  Builder builder(std::move(*templates), mine.has_value(), where, std::move(stop));
  if (auto failed = add_operators(builder, mine)) return *failed;
  if (mine) {
    if (auto failed = add_attempts(builder, *mine)) return *failed;
  }
  if (auto failed = add_documents(builder)) return *failed;
  return builder.finish();
}

Result<Site> make_attempts(const std::vector<Attempt>& mine) {
  Result<Templates> templates = Templates::read({"report/html", "site"});
  if (!templates) return templates.error();
  Builder builder(std::move(*templates), true, Where::server);
  if (auto failed = add_attempts(builder, mine)) return *failed;
  return builder.finish();
}

Result<Site> make_page(const std::string& page) {
  Result<Templates> templates = Templates::read({"report/html", "site"});
  if (!templates) return templates.error();
  Builder builder(std::move(*templates), true, Where::server);
  const bool is_rung = page.starts_with("solutions/");
  if (auto failed = is_rung ? add_rung(builder, page) : add_document(builder, page)) return *failed;
  return builder.finish();
}

bool has_source(const std::string& page) {
  const auto is_there = [&](fs::path file) {
    return page_of(file) == page && fs::exists(root() / file);
  };
  const fs::path path = page;
  return is_there(path) || is_there(path.parent_path()) ||
         is_there(fs::path(path).replace_extension(".md")) ||
         is_there(fs::path(path).replace_extension());
}

}  // namespace kata::site

#include "site/site.h"

#include "site/builder.h"

namespace kata::site {

Result<Site> make_site(const std::optional<std::vector<Attempt>>& mine, Where where) {
  Result<Templates> templates = Templates::read({"report/html", "site"});
  if (!templates) return templates.error();
  Builder builder(std::move(*templates), mine.has_value(), where);
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

}  // namespace kata::site

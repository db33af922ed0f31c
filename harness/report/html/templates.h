#pragma once
// HTML is written in templates, not in C++.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

/// Mustache templates (mustache(5)): a section {{#rows}} repeats for each item of a list, {{name}}
/// is escaped, {{{name}}} is not, {{> bars.html}} is another template.
class Templates {
 public:
  /// The files in harness/<folder>/templates.
  static Result<Templates> read(const std::vector<std::string>& folders);

  /// An Error if there is no template of that name, or it is not valid.
  Result<std::string> fill_in(const std::string& name, const nlohmann::json& values) const;

  /// A file's text as it is: a style sheet or a script. Empty if there is none.
  const std::string& text(const std::string& name) const;

 private:
  std::map<std::string, std::string> texts_;  ///< by file name: "bars.html"
};

}  // namespace kata

#include "report/html/templates.h"

#include <fmt/format.h>

#include <filesystem>
#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;
namespace mustache = kainjow::mustache;

mustache::data converted(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      mustache::data object;
      for (const auto& [name, member] : value.items()) object[name] = converted(member);
      return object;
    }
    case Json::value_t::array: {
      mustache::data list(mustache::data::type::list);
      for (const Json& item : value) list.push_back(converted(item));
      return list;
    }
    case Json::value_t::boolean:
      return value.get<bool>();
    case Json::value_t::string:
      return value.get<std::string>();
    case Json::value_t::null:
      return false;
    default:
      return value.dump();  // a number
  }
}

}  // namespace

Result<Templates> Templates::read(const std::vector<std::string>& folders) {
  Templates result;
  for (const std::string& folder : folders) {
    const fs::path path = root() / "harness" / folder / "templates";
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) {
      if (const auto text = read_file(entry.path())) {
        result.texts_[entry.path().filename().string()] = *text;
      }
    }
    if (failed) return Error{fmt::format("cannot read {}: {}", path.string(), failed.message())};
  }
  return result;
}

Result<std::string> Templates::fill_in(const std::string& name, const Json& values) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) return Error{"there is no template " + name};
  mustache::mustache page(found->second);
  mustache::data data = converted(values);
  for (const auto& [partial, text] : texts_) data[partial] = text;
  const std::string text = page.render(data);
  if (!page.is_valid()) return Error{"template " + name + ": " + page.error_message()};
  return text;
}

const std::string& Templates::text(const std::string& name) const {
  static const std::string none;
  const auto found = texts_.find(name);
  return found == texts_.end() ? none : found->second;
}

}  // namespace kata

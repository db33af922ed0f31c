#include "config/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "support/text.h"

namespace kata {
namespace {

Result<toml::table> parsed(const std::string& text, const std::string& name) try {
  return toml::parse(text);
} catch (const toml::parse_error& error) {
  return Error{fmt::format("{}:{}: {}", name, error.source().begin.line, error.description())};
}

std::string full_key(const std::string& table, std::string_view key) {
  return table.empty() ? std::string(key) : fmt::format("{}.{}", table, key);
}

/// Adds what `table` holds; returns the first value that is neither a number nor a string.
std::optional<Error> collect(const toml::table& table, const std::string& path,
                             const std::string& name, std::vector<Setting>& settings) {
  for (const auto& [key, node] : table) {
    const std::string full = full_key(path, key.str());
    const int line = static_cast<int>(node.source().begin.line);
    if (const toml::table* inner = node.as_table()) {
      if (const auto error = collect(*inner, full, name, settings)) return error;
    } else if (const auto number = node.value_exact<std::int64_t>()) {
      settings.push_back({full, std::to_string(*number), line});
    } else if (const auto text = node.value_exact<std::string>()) {
      settings.push_back({full, *text, line});
    } else {
      return Error{
          fmt::format("{}:{}: {} takes a string in quotes, or a number", name, line, full)};
    }
  }
  return {};
}

std::string text_of(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : joined(lines, "\n") + "\n";
}

bool is_heading(const std::string& line) {
  return trimmed(line).starts_with('[');
}

/// The index of the first heading from `from` on, or of the end.
std::size_t next_heading(const std::vector<std::string>& lines, std::size_t from) {
  while (from < lines.size() && !is_heading(lines[from])) ++from;
  return from;
}

std::string as_toml(const std::string& value, bool is_number) {
  if (is_number) return value;
  std::ostringstream text;
  text << toml::toml_formatter(toml::value<std::string>(value), toml::format_flags::none);
  return text.str();
}

/// Replaces the value on its line.
std::vector<std::string> replaced(std::vector<std::string> lines, const toml::node& node,
                                  const std::string& value) {
  const toml::source_region& place = node.source();
  std::string& line = lines[place.begin.line - 1];
  line.replace(place.begin.column - 1, place.end.column - place.begin.column, value);
  return lines;
}

std::vector<std::string> inserted(std::vector<std::string> lines, const toml::table& root,
                                  const std::string& key, const std::string& value) {
  const std::size_t dot = key.rfind('.');
  const std::string table = dot == std::string::npos ? "" : key.substr(0, dot);
  const std::string line = fmt::format("{} = {}", key.substr(dot + 1), value);
  std::size_t heading = 0;
  if (!table.empty()) {
    const toml::node_view<const toml::node> there = root.at_path(table);
    if (!there) {
      if (!lines.empty()) lines.emplace_back();
      lines.insert(lines.end(), {"[" + table + "]", line});
      return lines;
    }
    heading = there.node()->source().begin.line;  // the index of the line below it
  }
  std::size_t end = next_heading(lines, heading);
  while (end > heading && trimmed(lines[end - 1]).empty()) --end;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), line);
  return lines;
}

std::vector<std::string> removed(std::vector<std::string> lines, const toml::node& node) {
  const auto begin = static_cast<std::ptrdiff_t>(node.source().begin.line - 1);
  auto end = static_cast<std::ptrdiff_t>(node.source().end.line);
  if (node.is_table()) {
    end = static_cast<std::ptrdiff_t>(next_heading(lines, static_cast<std::size_t>(begin) + 1));
  }
  lines.erase(lines.begin() + begin, lines.begin() + end);
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  return lines;
}

bool same_settings(std::vector<Setting> a, std::vector<Setting> b) {
  const auto by_key = [](const Setting& one, const Setting& other) { return one.key < other.key; };
  std::sort(a.begin(), a.end(), by_key);
  std::sort(b.begin(), b.end(), by_key);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Setting& one, const Setting& other) {
                      return one.key == other.key && one.value == other.value;
                    });
}

/// TOML can be written in ways that a change of one line does not fit, such as a table in braces.
Result<std::string> checked(const std::string& text, const std::string& name,
                            const std::vector<Setting>& wanted) {
  const auto found = settings_in(text, name);
  if (found && same_settings(*found, wanted)) return text;
  return Error{fmt::format("cannot change {} without losing something: edit it by hand", name)};
}

}  // namespace

Result<std::vector<Setting>> settings_in(const std::string& text, const std::string& name) {
  const Result<toml::table> table = parsed(text, name);
  if (!table) return table.error();
  std::vector<Setting> settings;
  if (const auto error = collect(*table, "", name, settings)) return *error;
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.line < b.line; });
  return settings;
}

Result<std::string> with_setting(const std::string& text, const std::string& name,
                                 const std::string& key, const std::string& value, bool is_number) {
  Result<std::vector<Setting>> wanted = settings_in(text, name);
  if (!wanted) return wanted.error();
  const auto there = std::find_if(wanted->begin(), wanted->end(),
                                  [&](const Setting& one) { return one.key == key; });
  if (there == wanted->end())
    wanted->push_back({key, value});
  else
    there->value = value;
  const Result<toml::table> root = parsed(text, name);
  const toml::node* const node = root->at_path(key).node();
  const std::vector<std::string> lines = lines_of(text);
  const std::string written = as_toml(value, is_number);
  return checked(
      text_of(node ? replaced(lines, *node, written) : inserted(lines, *root, key, written)), name,
      *wanted);
}

Result<std::string> without_setting(const std::string& text, const std::string& name,
                                    const std::string& key) {
  Result<std::vector<Setting>> wanted = settings_in(text, name);
  if (!wanted) return wanted.error();
  std::erase_if(*wanted, [&](const Setting& one) {
    return one.key == key || one.key.starts_with(key + ".");
  });
  const Result<toml::table> root = parsed(text, name);
  const toml::node* const node = root->at_path(key).node();
  if (!node) return text;
  return checked(text_of(removed(lines_of(text), *node)), name, *wanted);
}

}  // namespace kata

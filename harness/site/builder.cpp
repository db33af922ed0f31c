#include "site/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata::site {
namespace {

/// Words once, in one line: the index holds what a search needs.
std::string condensed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) result += c;
    if (blank && !result.empty() && result.back() != ' ') result += ' ';
  }
  return result;
}

/// Of a page of the quiz: each question's answer is behind a click, as in an exercise.
std::string with_hidden_answers(const std::string& markdown) {
  constexpr const char* end = "\n</details>\n\n";
  std::string text;
  bool is_open = false;
  for (const std::string& line : lines_of(markdown)) {
    const bool is_question = line.starts_with("## ");
    if (is_question && is_open) text += end;
    text += line + "\n";
    if (is_question) text += "\n<details><summary>Answer</summary>\n\n";
    is_open |= is_question;
  }
  return is_open ? text + end : text;
}

bool is_picture(const fs::path& path) {
  return path.extension() == ".png" || path.extension() == ".svg";
}

}  // namespace

fs::path in_tree(const fs::path& path) {
  return path.lexically_relative(root());
}

std::string page_of(const fs::path& file) {
  const std::string path = file.generic_string();
  if (path == "exercises" || path == "solutions") return "index.html";
  const bool is_task = path.starts_with("exercises/") && file.filename() == "README.md";
  if (is_task) return (file.parent_path() / "index.html").generic_string();
  if (fs::is_directory(root() / file)) {
    const bool is_ladder = path.starts_with("solutions/") && path != "solutions/common";
    return is_ladder ? operator_page(file.filename().string())
                     : (file / "index.html").generic_string();
  }
  if (is_picture(file)) return path;
  if (file.extension() == ".md") return fs::path(file).replace_extension(".html").string();
  return path + ".html";
}

std::string relative(const std::string& from, const std::string& to) {
  return fs::path(to).lexically_relative(fs::path(from).parent_path()).generic_string();
}

std::string operator_page(const std::string& operator_name) {
  return "exercises/" + operator_name + "/index.html";
}

std::string attempts_page(const std::string& operator_name) {
  return "mine/" + operator_name + "/index.html";
}

Builder::Builder(Templates templates, bool with_mine, Where where, std::stop_token stop)
    : templates_(std::move(templates)),
      with_mine_(with_mine),
      where_(where),
      stop_(std::move(stop)) {
  add_file("style.css", templates_.text("style.css") + templates_.text("site.css"));
  add_file("script.js", templates_.text("script.js"));
}

std::optional<Error> Builder::add_page(const std::string& path, const std::string& template_name,
                                       const std::string& title, Json values,
                                       const Neighbours& neighbours) {
  if (stop_.stop_requested()) return Error{"stopped before all pages were made"};
  const auto to = [&](const std::string& other) {
    return other.empty() ? Json() : Json(relative(path, other));
  };
  values.update({{"title", title},
                 {"root", path.find('/') == std::string::npos ? "" : relative(path, ".") + "/"},
                 {"previous", to(neighbours.previous)},
                 {"next", to(neighbours.next)},
                 {"up", to(neighbours.up)},
                 {"with_mine", with_mine_},
                 {"served", where_ == Where::server},
                 {"line_links", true}});
  const Result<std::string> html = templates_.fill_in(template_name, values);
  if (!html) return html.error();
  add_file(path, *html);
  return {};
}

void Builder::add_file(const std::string& path, std::string content) {
  paths_.insert(path);
  site_.files.push_back({path, std::move(content)});
}

void Builder::index(const std::string& address, const std::string& title, const std::string& text,
                    bool hidden) {
  index_.push_back({address, title, condensed(text), hidden});
}

Result<Document> Builder::document(const fs::path& file, const std::string& page) {
  const std::optional<std::string> text = read_file(root() / file);
  if (!text) return Error{fmt::format("cannot read {}", file.string())};
  const auto resolve = [&](const std::string& target) -> std::optional<std::string> {
    const std::size_t hash = std::min(target.find('#'), target.size());
    const fs::path linked = file.parent_path() / target.substr(0, hash);
    const auto address = link(page, linked.lexically_normal());
    if (!address) {
      site_.broken_links.push_back(file.string() + ": " + target);
      return {};
    }
    return *address + target.substr(hash);
  };
  const bool is_quiz = file.parent_path() == "docs/quiz";
  Result<Document> document =
      render_markdown(is_quiz ? with_hidden_answers(*text) : *text, resolve, templates_);
  if (!document) return document.error();
  for (const Section& section : document->sections) {
    if (section.heading == "Labels") continue;  // for programs
    const bool is_first = section.heading == document->title;
    index(page + "#" + section.anchor,
          is_first ? document->title : document->title + ": " + section.heading, section.text,
          section.hidden);
  }
  return document;
}

std::optional<std::string> Builder::link(const std::string& page, const fs::path& file) {
  const bool outside = file.empty() || file.is_absolute() || *file.begin() == "..";
  const fs::path path = file.has_filename() ? file : file.parent_path();
  if (outside || !fs::exists(root() / path)) return {};
  linked_.insert(path);
  return relative(page, site::page_of(path));
}

std::vector<fs::path> Builder::wanted() const {
  std::vector<fs::path> result;
  for (const fs::path& path : linked_)
    if (!paths_.contains(site::page_of(path))) result.push_back(path);
  return result;
}

Site Builder::finish() {
  const auto replace = Json::error_handler_t::replace;
  add_file("search.js", "window.kataIndex = " + index_.dump(-1, ' ', false, replace) + ";\n");
  return std::move(site_);
}

}  // namespace kata::site

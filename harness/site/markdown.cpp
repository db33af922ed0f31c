#include "site/markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/html/views.h"

namespace kata::site {
namespace {

constexpr int options = CMARK_OPT_UNSAFE;  // <details> in exercises; the pages are the project's

using Tree = std::unique_ptr<cmark_node, void (*)(cmark_node*)>;

Tree parse(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, void (*)(cmark_parser*)> parser(cmark_parser_new(options),
                                                                      cmark_parser_free);
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return {cmark_parser_finish(parser.get()), cmark_node_free};
}

std::string literal(cmark_node* node) {
  const char* const text = cmark_node_get_literal(node);
  return text ? text : "";
}

/// All nodes in the order of the text. Collected first, because a walk does not survive a change.
std::vector<cmark_node*> all_nodes(cmark_node* top) {
  std::vector<cmark_node*> nodes;
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> walk(cmark_iter_new(top),
                                                                cmark_iter_free);
  for (cmark_event_type event; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;)
    if (event == CMARK_EVENT_ENTER) nodes.push_back(cmark_iter_get_node(walk.get()));
  return nodes;
}

bool is_table(cmark_node* node) {
  return cmark_node_get_type_string(node) == std::string_view("table");
}

std::string words_of(cmark_node* top) {
  std::string words;
  for (cmark_node* node : all_nodes(top)) {
    const cmark_node_type type = cmark_node_get_type(node);
    const bool is_block = (type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_BLOCK;
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK)
      words += literal(node);
    if (is_block || type == CMARK_NODE_SOFTBREAK) words += ' ';
  }
  return words;
}

/// Of a table the cells that have a letter, and each once.
std::string words_of_table(cmark_node* table) {
  std::string words;
  for (cmark_node* node : all_nodes(table)) {
    if (cmark_node_get_type_string(node) != std::string_view("table_cell")) continue;
    const std::string cell = words_of(node);
    const bool has_letter =
        std::any_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isalpha(c); });
    if (has_letter && words.find(cell) == std::string::npos) words += cell;
  }
  return words;
}

/// "What it costs" -> "what-it-costs"
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const unsigned char c : heading) {
    if (c == ' ') anchor += '-';
    if (std::isalnum(c) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(c));
  }
  return anchor;
}

cmark_node* html_node(cmark_node_type type, const std::string& html) {
  cmark_node* const node = cmark_node_new(type);
  cmark_node_set_literal(node, html.c_str());
  return node;
}

/// Splits the page at its headings, and gives each heading an anchor.
std::vector<Section> sections_of(cmark_node* page) {
  std::vector<Section> sections;
  std::map<std::string, int> times;
  for (cmark_node* node = cmark_node_first_child(page); node; node = cmark_node_next(node)) {
    if (cmark_node_get_type(node) == CMARK_NODE_HEADING) {
      std::string heading = words_of(node);
      heading.erase(0, heading.find_first_not_of(' '));
      std::string anchor = anchor_of(heading);
      if (const int before = times[anchor]++) anchor += fmt::format("-{}", before);
      cmark_node_prepend_child(
          node, html_node(CMARK_NODE_HTML_INLINE, fmt::format("<span id=\"{}\"></span>", anchor)));
      sections.push_back({.anchor = anchor, .heading = heading, .text = {}});
      continue;
    }
    if (sections.empty()) sections.push_back({});
    Section& section = sections.back();
    section.hidden |= literal(node).starts_with("<details");
    section.text += is_table(node) ? words_of_table(node) : words_of(node);
  }
  return sections;
}

/// Links and images of the tree lead to the site's pages.
void lead_into_site(const std::vector<cmark_node*>& nodes, const Resolve& resolve) {
  for (cmark_node* node : nodes) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_LINK && type != CMARK_NODE_IMAGE) continue;
    const std::string target = cmark_node_get_url(node);
    if (target.find(':') != std::string::npos || target.starts_with('#')) continue;
    if (const auto address = resolve(target)) {
      cmark_node_set_url(node, address->c_str());
      continue;
    }
    while (cmark_node* const child = cmark_node_first_child(node))
      cmark_node_insert_before(node, child);
    cmark_node_unlink(node);
    cmark_node_free(node);
  }
}

/// Indented blocks and ```c++ are code, coloured; the others are what a program prints, whose
/// columns must not be broken.
std::optional<Error> show_code(cmark_node* block, const Templates& templates) {
  int length = 0, offset = 0;
  char character = 0;
  const bool fenced = cmark_node_get_fenced(block, &length, &offset, &character) != 0;
  const std::string language = cmark_node_get_fence_info(block);
  const bool is_code = !fenced || language == "c++" || language == "cpp" || language == "cuda";
  const Result<std::string> html = templates.fill_in(
      is_code ? "code_block.html" : "transcript.html",
      {{"lines", html::colored_lines(literal(block))}, {"transcript", literal(block)}});
  if (!html) return html.error();
  cmark_node_replace(block, html_node(CMARK_NODE_HTML_BLOCK, *html));
  cmark_node_free(block);
  return {};
}

/// A table may be wider than a phone: it scrolls in a box of its own. Who listens to it needs a
/// name for each column.
void box_table(cmark_node* table) {
  cmark_node* const header = cmark_node_first_child(table);
  for (cmark_node* cell = cmark_node_first_child(header); cell; cell = cmark_node_next(cell)) {
    if (cmark_node_first_child(cell)) continue;
    cmark_node_append_child(
        cell, html_node(CMARK_NODE_HTML_INLINE, "<span class=\"unseen\">name</span>"));
  }
  cmark_node_insert_before(
      table, html_node(CMARK_NODE_HTML_BLOCK, "<div class=\"box table\" tabindex=\"0\">\n"));
  cmark_node_insert_after(table, html_node(CMARK_NODE_HTML_BLOCK, "</div>\n"));
}

}  // namespace

Result<Document> render_markdown(const std::string& text, const Resolve& resolve,
                                 const Templates& templates) {
  const Tree page = parse(text);
  Document document{.title = {}, .html = {}, .sections = sections_of(page.get())};
  if (!document.sections.empty()) document.title = document.sections.front().heading;
  const std::vector<cmark_node*> nodes = all_nodes(page.get());
  for (cmark_node* node : nodes) {
    if (is_table(node)) box_table(node);
    if (cmark_node_get_type(node) != CMARK_NODE_CODE_BLOCK) continue;
    if (auto failed = show_code(node, templates)) return *failed;
  }
  lead_into_site(all_nodes(page.get()), resolve);
  const std::unique_ptr<char, void (*)(void*)> html(cmark_render_html(page.get(), options, nullptr),
                                                    free);
  document.html = html.get();
  return document;
}

}  // namespace kata::site

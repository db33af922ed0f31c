#include "report/html.h"

#include <fmt/format.h>

#include "report/layout.h"

namespace kata {
namespace html {
namespace {

std::string index_of(const std::vector<Page>& pages) {
  std::string items;
  for (const Page& page : pages) {
    items += fmt::format("<li><a href=\"#{0}\">{0}</a> {1}</li>\n", escaped(page.operator_name),
                         escaped(page.summary));
  }
  return "<nav><ul>\n" + items + "</ul></nav>\n";
}

/// `level` is that of its heading: 1 where it is the whole document.
std::string section(const Page& page, int level) {
  std::string text = fmt::format(
      "<section id=\"{0}\">\n<h{3}>{0}</h{3}>\n<p>{1}</p>\n<pre class=\"box\">{2}</pre>\n",
      escaped(page.operator_name), escaped(page.summary), escaped(page.declaration), level);
  if (!page.verdict.empty()) {
    text += fmt::format("<p class=\"verdict\">{}</p>\n", escaped(page.verdict));
  }
  return text + bars(page) + roofline(page) + counters(page) + sources(page) + "</section>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

/// Of the ladder at one case: a row for each that was counted.
std::string counters(const Page& page) {
  std::string rows;
  for (const PageRow& row : page.rows) {
    if (row.kernels.empty()) continue;
    const CountRow& one = row.counts;
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(row.name));
    for (const std::uint64_t count :
         {one.launches, one.global_bytes, one.sectors, one.ideal_sectors, one.wavefronts,
          one.conflicts, one.atomics, one.barriers}) {
      rows += fmt::format("<td>{}</td>", layout::short_number(count));
    }
    rows += "</tr>\n";
  }
  if (rows.empty()) return {};
  return fmt::format(
             "<h3>Counters</h3>\n<p>One call at {}, as the emulator counts it. Sectors are 32 "
             "bytes "
             "of global memory, wavefronts turns of shared memory; conflicts are the wavefronts "
             "beyond the fewest.</p>\n",
             escaped(page.counted_case)) +
         "<div class=\"box\"><table class=\"counters\">\n<thead><tr><th></th>"
         "<th>launches</th><th>bytes</th><th>sectors</th><th>fewest</th><th>wavefronts</th>"
         "<th>conflicts</th><th>atomics</th><th>barriers</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace html

std::string to_html(const std::vector<Page>& pages) {
  const bool one = pages.size() == 1;
  const std::string title = one ? "kata: " + pages.front().operator_name : "kata: the ladders";
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      html::escaped(title) + "</title>\n<style>" + html::style + "</style>\n</head>\n<body>\n";
  if (!one) text += "<h1>" + html::escaped(title) + "</h1>\n" + html::index_of(pages);
  for (const Page& page : pages) text += html::section(page, one ? 1 : 2);
  return text + "</body>\n</html>\n";
}

}  // namespace kata

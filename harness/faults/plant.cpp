// A fault put into its kernel.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "faults/fault.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata::faults {
namespace {

int line_at(const std::string& text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(),
                                         text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

int times_in(const std::string& text, const std::string& part) {
  int times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

/// How alike two lines are, from 0 to 1: the letters that they share in order.
double likeness(std::string_view one, std::string_view other) {
  const auto letters = [](std::string_view text) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < text.size(); ++i) all.push_back(text.substr(i, 1));
    return all;
  };
  const std::vector<Edit> edits = edits_between(letters(one), letters(other));
  const auto kept =
      std::count_if(edits.begin(), edits.end(), [](const Edit& edit) { return edit.sign == ' '; });
  return 2.0 * static_cast<double>(kept) /
         static_cast<double>(std::max<std::size_t>(1, one.size() + other.size()));
}

/// The number of the line that is most like the first line of `part`.
int nearest_line(const std::string& text, const std::string& part) {
  const std::string wanted(trimmed(part.substr(0, part.find('\n', part.find_first_not_of('\n')))));
  double best = -1;
  int nearest = 1, number = 0;
  for (const std::string_view line : lines_with_ends(text)) {
    ++number;
    const double alike = likeness(trimmed(line), wanted);
    if (alike <= best) continue;
    best = alike;
    nearest = number;
  }
  return nearest;
}

void link_to(const fs::path& target, const fs::path& link, std::error_code& failed) {
  if (!failed && !fs::exists(fs::symlink_status(link))) fs::create_symlink(target, link, failed);
}

}  // namespace

Result<FaultyKernel> plant(const Fault& fault) {
  std::optional<std::string> text = fault.kernel.empty() ? read_file(fault.of) : fault.kernel;
  if (!text) return Error{fmt::format("{}: no file {}", fault.name, shown(fault.of))};
  for (const Change& change : fault.changes) {
    const int times = times_in(*text, change.before);
    if (times > 1)
      return Error{fmt::format("{}: \"{}\" is {} times in {}; take more text around it", fault.name,
                               trimmed(change.before), times, shown(fault.of))};
    if (times == 0)
      return Error{fmt::format("{}: \"{}\" is not in the file; the nearest line is {}:{}",
                               fault.name, trimmed(change.before), shown(fault.of),
                               nearest_line(*text, change.before))};
    text->replace(text->find(change.before), change.before.size(), change.after);
  }
  FaultyKernel kernel{*text};
  if (fault.line.empty()) return kernel;
  if (const int times = times_in(*text, fault.line); times != 1)
    return Error{fmt::format("{}: the text of \"line\", \"{}\", is {} times in the faulty {}",
                             fault.name, trimmed(fault.line), times, shown(fault.of))};
  kernel.line = line_at(*text, text->find(fault.line) + fault.line.size() - 1);
  return kernel;
}

Result<fs::path> write_planted(const Fault& fault, const std::string& text,
                               const fs::path& folder) {
  const fs::path from = fault.of.parent_path();
  // A folder of its own: where one fault has a link, another must not write through it.
  const fs::path top = folder / from.filename() / fault.name;
  const fs::path here = top / from.lexically_relative(root());
  std::error_code failed;
  fs::create_directories(here, failed);
  fs::create_directories(top / "solutions", failed);
  for (const auto& entry : fs::directory_iterator(from, failed)) {
    if (entry.path().extension() != ".cu")
      link_to(entry.path(), here / entry.path().filename(), failed);
  }
  for (const auto& entry : fs::directory_iterator(root() / "solutions", failed))
    link_to(entry.path(), top / "solutions" / entry.path().filename(), failed);
  const fs::path file = here / (fault.name + ".cu");
  const std::string reason = failed ? failed.message() : write_file(file, text);
  if (!reason.empty()) return Error{fmt::format("{} cannot be written: {}", shown(file), reason)};
  return file;
}

}  // namespace kata::faults

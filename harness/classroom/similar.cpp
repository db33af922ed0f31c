#include "classroom/similar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "grading/ladder.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr std::size_t most_said = std::size_t{1} << 26;
constexpr int shortest_run = 16;  // tokens: exercises are short

std::set<std::string> lines_of_stub(const std::string& operator_name) {
  std::set<std::string> lines;
  for (const std::string& line : lines_of(read_file(stub(operator_name)).value_or("")))
    lines.emplace(trimmed(line));
  return lines;
}

std::string without_lines(const std::string& text, const std::set<std::string>& lines) {
  std::string rest;
  for (const std::string& line : lines_of(text)) {
    if (!lines.contains(std::string(trimmed(line)))) rest += line + "\n";
  }
  return rest;
}

/// The files of one operator, as the tool reads them: "12.cu" is the outcome of index 12.
struct Compared {
  std::vector<std::string> names;
  std::map<std::string, std::string> titles, people;
};

void add(Compared& compared, const fs::path& folder, const std::string& title,
         const std::string& person, const fs::path& source,
         const std::set<std::string>& stub_lines) {
  const std::string name = fmt::format("{}.cc", compared.names.size());
  if (!write_file(folder / name, without_lines(read_file(source).value_or(""), stub_lines)).empty())
    return;
  compared.names.push_back(name);
  compared.titles[name] = title;
  compared.people[name] = person;
}

/// "0.cc consists for 93 % of 2.cc material"
std::vector<Similar> pairs_in(const std::string& output, const Compared& compared) {
  std::vector<Similar> pairs;
  for (const std::string& line : lines_of(output)) {
    std::istringstream words(line);
    std::string one, consists, in, percent_sign, of, other;
    int percent = 0;
    if (!(words >> one >> consists >> in >> percent >> percent_sign >> of >> other)) continue;
    if (consists != "consists" || !compared.titles.contains(one)) continue;
    if (!compared.titles.contains(other) || compared.people.at(one).empty()) continue;
    if (compared.people.at(one) == compared.people.at(other)) continue;
    pairs.push_back({compared.titles.at(one), compared.titles.at(other), percent});
  }
  return pairs;
}

Result<std::vector<Similar>> compare(const std::string& operator_name,
                                     const std::vector<const JudgedHandIn*>& outcomes,
                                     int percent) {
  const TemporaryFolder folder;
  const std::set<std::string> stub_lines = lines_of_stub(operator_name);
  Compared compared;
  for (const JudgedHandIn* one : outcomes) {
    add(compared, folder.path(), one->submission.title(), one->submission.person,
        one->submission.file, stub_lines);
  }
  for (const Rung& rung : ladder(operator_name))
    add(compared, folder.path(), "rung " + rung.name, "", rung.path, stub_lines);
  std::string input;
  for (const std::string& name : compared.names) input += name + "\n";
  const Result<Finished> finished =
      run({.arguments = {"sim_c++", "-p", "-e", "-T", "-w", "200", "-r",
                         std::to_string(shortest_run), "-t", std::to_string(percent), "-i"},
           .input = input,
           .folder = folder.path(),
           .time_limit_s = 300,
           .output_limit = most_said});
  if (!finished) return finished.error();
  if (finished->exit_status != 0 || finished->signal != 0)
    return Error{"sim_c++ failed; its own words:", finished->errors};
  return pairs_in(finished->output, compared);
}

}  // namespace

Result<std::vector<Similar>> similar_submissions(const std::vector<JudgedHandIn>& outcomes,
                                                 int percent) {
  if (find_program("sim_c++").empty())
    return Error{"similar submissions are not looked for: install similarity-tester"};
  std::map<std::string, std::vector<const JudgedHandIn*>> by_operator;
  for (const JudgedHandIn& one : outcomes) {
    const bool has_code = !one.submission.file.empty() && !one.report.operator_name.empty() &&
                          one.report.verdict != Verdict::not_attempted;
    if (has_code) by_operator[one.report.operator_name].push_back(&one);
  }
  std::vector<Similar> all;
  for (const auto& [name, group] : by_operator) {
    Result<std::vector<Similar>> pairs = compare(name, group, percent);
    if (!pairs) return pairs.error();
    all.insert(all.end(), pairs->begin(), pairs->end());
  }
  // Two files that share code are two lines of the tool: one pair is enough.
  std::stable_sort(all.begin(), all.end(),
                   [](const Similar& a, const Similar& b) { return a.percent > b.percent; });
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(all, [&](const Similar& one) {
    return !seen.insert(std::minmax(one.one, one.other)).second;
  });
  return all;
}

}  // namespace kata

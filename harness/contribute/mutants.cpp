#include "contribute/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::contribute {

fs::path mutants_folder(const std::string& operator_name) {
  return root() / "tests" / "mutants" / operator_name;
}

std::vector<fs::path> candidates_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code no_folder;
  for (const auto& entry : fs::directory_iterator(folder, no_folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::vector<std::string>> read_rows(const fs::path& file, std::size_t columns) {
  std::istringstream lines(read_file(file).value_or(""));
  std::vector<std::vector<std::string>> rows;
  bool head = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#") || std::exchange(head, false)) continue;
    std::istringstream text(line);
    std::vector<std::string> row(columns);
    for (std::size_t i = 0; i < columns; ++i)
      std::getline(text, row[i], i + 1 < columns ? ',' : '\n');
    rows.push_back(row);
  }
  return rows;
}

Result<MutantTable> read_mutant_table(const std::string& operator_name) {
  const fs::path file = mutants_folder(operator_name) / "expected.csv";
  const auto rows = read_rows(file, 6);
  if (rows.empty())
    return Error{fmt::format("write {}: file,kind,line,words,gpu,why", shown(file))};
  MutantTable table;
  for (const auto& row : rows) {
    int line = 0;
    const char* const end = row[2].data() + row[2].size();
    if (!row[2].empty() && std::from_chars(row[2].data(), end, line).ptr != end)
      return Error{fmt::format("{}: the line of {} is no number", shown(file), row[0])};
    const std::optional<FindingKind> kind = finding_kind_from(row[1]);
    if (!kind && !row[1].empty())
      return Error{fmt::format("{}: {} is no kind of finding", shown(file), row[1])};
    if (!table.emplace(row[0], ExpectedOutcome{kind, line, row[3], row[4], row[5]}).second)
      return Error{fmt::format("{} has two rows for {}", shown(file), row[0])};
  }
  return table;
}

std::vector<std::string> disagreements(const MutantTable& expected,
                                       const std::vector<fs::path>& files) {
  std::vector<std::string> details;
  for (const fs::path& file : files) {
    if (!expected.contains(file.filename()))
      details.push_back(shown(file) + " has no row in expected.csv");
    if (!read_file(file).value_or("").starts_with("// Fault: "))
      details.push_back(shown(file) + " does not begin with \"// Fault: \"");
  }
  for (const auto& [name, row] : expected) {
    const bool there = std::any_of(files.begin(), files.end(),
                                   [&](const fs::path& file) { return file.filename() == name; });
    if (!there) details.push_back("expected.csv has a row for " + name + ", which does not exist");
    if (!row.kind && row.words.empty())
      details.push_back("the row of " + name + " names neither a finding nor words");
    const bool must_explain = row.gpu == "passes" || row.gpu == "either";
    if (!must_explain && row.gpu != "fails" && !row.gpu.empty())
      details.push_back("the row of " + name + " has the unknown GPU verdict " + row.gpu);
    if (must_explain && row.why.empty())
      details.push_back("the row of " + name + " does not say why a GPU accepts it");
  }
  return details;
}

std::optional<std::string> misjudged(const Report& report, const ExpectedOutcome& expected) {
  if (report.verdict == Verdict::error) return report.error;
  if (report.verdict != Verdict::fail) return "passes, and must not";
  const CaseResult* const failure = most_specific_failure(report);
  std::string said = failure ? failure->explanation : "";
  if (expected.kind) {
    const auto found =
        std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
          return finding.kind == expected.kind && finding.line == expected.line &&
                 finding.severity == Severity::error;
        });
    if (found == report.findings.end())
      return fmt::format("no finding {} at line {}", to_string(*expected.kind), expected.line);
    said += "\n" + found->message + "\n" + found->note;
  }
  if (said.find(expected.words) != std::string::npos) return {};
  return fmt::format("\"{}\" is not in the explanation: {}", expected.words, said);
}

}  // namespace kata::contribute

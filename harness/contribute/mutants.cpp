#include "contribute/mutants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "faults/fault.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

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

namespace {

/// What is before the next comma; in double quotes a comma is text, and two quotes are one.
std::string next_field(std::istringstream& line) {
  std::string field;
  bool quoted = false;
  for (char letter; line.get(letter);) {
    if (letter == '"') {
      if (quoted && line.peek() == '"')
        field += static_cast<char>(line.get());
      else
        quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      break;
    } else {
      field += letter;
    }
  }
  return field;
}

}  // namespace

std::vector<TableRow> read_rows(const fs::path& file, std::size_t columns) {
  std::vector<TableRow> rows;
  bool header = true;
  int number = 0;
  for (const std::string& line : lines_of(read_file(file).value_or(""))) {
    ++number;
    if (line.starts_with("#") || std::exchange(header, false)) continue;
    std::istringstream text(line);
    TableRow row{.line = number, .fields = std::vector<std::string>(columns)};
    for (std::size_t i = 0; i + 1 < columns; ++i) row.fields[i] = next_field(text);
    std::getline(text, row.fields.back());
    rows.push_back(row);
  }
  return rows;
}

Result<MutantTable> read_mutant_table(const std::string& operator_name) {
  const fs::path file = mutants_folder(operator_name) / "expected.csv";
  const std::vector<TableRow> rows = read_rows(file, 6);
  if (rows.empty()) {
    return Error{fmt::format("{} {}: add a row for each kernel, e.g. x.cu,race,12,,,", shown(file),
                             read_file(file) ? "has no rows below its header"
                                             : "does not exist; its header is "
                                               "file,kind,line,words,gpu,why")};
  }
  MutantTable table;
  for (const auto& [row_line, fields] : rows) {
    const std::string place = fmt::format("{}:{}: ", shown(file), row_line);
    int line = 0;
    const char* const end = fields[2].data() + fields[2].size();
    if (!fields[2].empty() && std::from_chars(fields[2].data(), end, line).ptr != end)
      return Error{fmt::format("{}\"{}\" is not a line number", place, fields[2])};
    const std::optional<FindingKind> kind = finding_kind_from(fields[1]);
    if (!kind && !fields[1].empty())
      return Error{fmt::format("{}\"{}\" is not a kind of finding. The kinds are: {}", place,
                               fields[1], fmt::join(finding_kind_names(), ", "))};
    if (!table.emplace(fields[0], ExpectedOutcome{kind, line, fields[3], fields[4], fields[5]})
             .second)
      return Error{fmt::format("{}{} has a row already", place, fields[0])};
  }
  return table;
}

Result<MutantTable> read_expected_outcomes(const std::string& operator_name) {
  MutantTable table;
  if (!candidates_in(mutants_folder(operator_name)).empty()) {
    const Result<MutantTable> rows = read_mutant_table(operator_name);
    if (!rows) return rows.error();
    table = *rows;
  }
  const Result<std::vector<faults::Fault>> patches = faults::read_faults(operator_name);
  if (!patches) return patches.error();
  for (const faults::Fault& fault : *patches) {
    const Result<faults::FaultyKernel> kernel = faults::plant(fault);
    if (!kernel)
      return Error{fmt::format("{}:{}: {}", shown(faults::faults_file(operator_name)), fault.row,
                               kernel.error().message)};
    const std::string gpu = fault.gpu == faults::GpuVerdict::fails    ? "fails"
                            : fault.gpu == faults::GpuVerdict::passes ? "passes"
                            : fault.gpu == faults::GpuVerdict::either ? "either"
                                                                      : "";
    if (!table
             .emplace(fault.name + ".cu",
                      ExpectedOutcome{fault.kind, kernel->line, fault.words, gpu, fault.why})
             .second)
      return Error{fmt::format("{} is a fault in {} and a kernel in {}", fault.name,
                               shown(faults::faults_file(operator_name)),
                               shown(mutants_folder(operator_name)))};
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
    const bool there = std::any_of(
        files.begin(), files.end(),
        [&, &wanted = name](const fs::path& file) { return file.filename() == wanted; });
    if (!there) details.push_back("expected.csv has a row for " + name + ", which does not exist");
    if (!row.kind && row.words.empty())
      details.push_back("the row of " + name + " names neither a finding nor words");
    const bool must_explain = row.gpu == "passes" || row.gpu == "either";
    if (!must_explain && row.gpu != "fails" && !row.gpu.empty())
      details.push_back("the row of " + name + " has the unknown GPU verdict \"" + row.gpu +
                        "\": fails, passes or either (words with a comma need double quotes)");
    if (must_explain && row.why.empty())
      details.push_back("the row of " + name + " does not say why a GPU accepts it");
  }
  return details;
}

std::optional<std::string> misjudged(const Report& report, const ExpectedOutcome& expected) {
  if (report.verdict != Verdict::fail) return "passes, but must not";
  const CaseResult* const failure = most_specific_failure(report);
  std::string text = failure ? failure->explanation : "";
  if (expected.kind) {
    const Finding* named = nullptr;
    std::vector<std::string> others;
    for (const Finding& finding : report.findings) {
      if (finding.severity != Severity::error) continue;
      if (finding.kind == expected.kind && finding.line == expected.line) {
        named = &finding;
        break;
      }
      others.push_back(fmt::format("{} at line {}", to_string(finding.kind), finding.line));
    }
    if (!named)
      return fmt::format("expected {} at line {}, but found {}", to_string(*expected.kind),
                         expected.line,
                         others.empty() ? "nothing" : fmt::format("{}", fmt::join(others, ", ")));
    text += "\n" + named->message + "\n" + named->note;
  }
  if (text.find(expected.words) != std::string::npos) return {};
  return fmt::format("\"{}\" is not in the explanation: {}", expected.words, text);
}

}  // namespace kata::contribute

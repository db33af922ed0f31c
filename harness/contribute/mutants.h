#pragma once
// Kernels with one planted fault each, and what must be said of them: tests/mutants/<operator> and
// the patches in solutions/<operator>/faults.toml.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "support/result.h"

namespace kata::contribute {

/// A row of expected.csv, or what faults.toml says.
struct ExpectedOutcome {
  std::optional<FindingKind> kind;  ///< of the finding that names the fault; if a finding must
  int line = 0;                     ///< of that finding
  std::string words;                ///< part of the explanation, or of that finding's message
  std::string gpu;                  ///< "fails", "passes", "either"; empty if not measured
  std::string why;                  ///< why a GPU passes it, or may
};

using MutantTable = std::map<std::string, ExpectedOutcome>;  ///< by file name

std::filesystem::path mutants_folder(const std::string& operator_name);

/// The .cu files of a folder that may not exist, by name.
std::vector<std::filesystem::path> candidates_in(const std::filesystem::path& folder);

struct TableRow {
  int line = 0;  ///< in the file
  std::vector<std::string> fields;
};

/// The rows of a table without its header. Each has as many fields as there are columns. A field
/// with a comma is in double quotes; the last one need not be. Empty if there is no such file.
std::vector<TableRow> read_rows(const std::filesystem::path& file, std::size_t columns);

/// expected.csv of an operator that has such kernels.
Result<MutantTable> read_mutant_table(const std::string& operator_name);

/// The same with every fault of faults.toml, as "<name>.cu".
Result<MutantTable> read_expected_outcomes(const std::string& operator_name);

/// Files without a row or without a "// Fault: " line, rows without a file, rows that say too
/// little.
std::vector<std::string> disagreements(const MutantTable& expected,
                                       const std::vector<std::filesystem::path>& files);

/// How the report of a kernel that was judged differs from the table; nothing if it does not.
std::optional<std::string> misjudged(const Report& report, const ExpectedOutcome& expected);

}  // namespace kata::contribute

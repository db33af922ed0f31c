#pragma once
// What Nsight Compute counted on a GPU: the tables in this folder.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "report/report.h"

namespace kata::test {

inline const std::filesystem::path fidelity_folder =
    std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "fidelity";

using Counters = std::map<std::string, std::uint64_t>;

/// ncu's names of what the emulator counts too.
inline const std::map<std::string, std::string> metrics{
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"shared load requests", "smsp__inst_executed_op_shared_ld.sum"},
    {"shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared store requests", "smsp__inst_executed_op_shared_st.sum"},
    {"shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}};

inline Counters counters_of(const KernelRecord& kernel) {
  return {{"global load requests", kernel.global_load.requests},
          {"global load sectors", kernel.global_load.sectors},
          {"global store requests", kernel.global_store.requests},
          {"global store sectors", kernel.global_store.sectors},
          {"shared load requests", kernel.shared_load.requests},
          {"shared load wavefronts", kernel.shared_load.wavefronts},
          {"shared store requests", kernel.shared_store.requests},
          {"shared store wavefronts", kernel.shared_store.wavefronts}};
}

/// Fields may stand in quotes, and hold commas then.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

using Row = std::map<std::string, std::string>;  ///< by the names of the columns

/// Lines that begin with # say how the table was made.
inline std::vector<Row> read_table(const std::string& name) {
  std::ifstream file(fidelity_folder / name);
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

/// ncu groups the digits of large numbers: 12,288.
inline std::uint64_t number(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  return std::stoull(text);
}

/// Throws std::out_of_range without the column, std::invalid_argument if it holds no number.
inline Counters counters_of(const Row& row) {
  Counters counters;
  for (const auto& [counter, metric] : metrics) counters[counter] = number(row.at(metric));
  return counters;
}

}  // namespace kata::test

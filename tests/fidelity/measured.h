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
using Row = std::map<std::string, std::string>;  ///< by the names of the columns

/// Throws std::out_of_range without the column, std::invalid_argument if it holds no number.
inline std::uint64_t number(const Row& row, const std::string& column) {
  std::string text = row.at(column);
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());  // ncu may write 12,288
  return std::stoull(text);
}

/// What the emulator counts too. Wavefronts: those that the addresses ask for (smsp__sass). The
/// pipe's own counter has some more, from turns lost to other work: they vary from run to run, and
/// ncu calls them bank conflicts. Asynchronous copies are counted apart there, as stores here.
inline Counters counters_of(const Row& row) {
  const auto sum = [&row](const std::string& metric) { return number(row, metric + ".sum"); };
  Counters counters;
  for (const auto& [kind, op] : {std::pair{"load", "ld"}, std::pair{"store", "st"}}) {
    const std::string global = std::string("global ") + kind,
                      shared = std::string("shared ") + kind;
    const std::string suffix = std::string("_op_") + op;
    const std::uint64_t wavefronts =
        sum("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared" + suffix);
    const std::uint64_t in_pipe = sum("l1tex__data_pipe_lsu_wavefronts_mem_shared" + suffix);
    counters[global + " requests"] = sum("l1tex__t_requests_pipe_lsu_mem_global" + suffix);
    counters[global + " sectors"] = sum("l1tex__t_sectors_pipe_lsu_mem_global" + suffix);
    counters[shared + " instructions"] = sum("smsp__inst_executed_op_shared_" + std::string(op));
    counters[shared + " wavefronts"] = wavefronts;
    counters[shared + " conflicts"] =
        sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared" + suffix) - (in_pipe - wavefronts);
  }
  counters["shared store instructions"] += sum("smsp__sass_inst_executed_op_ldgsts");
  counters["shared store wavefronts"] +=
      sum("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts");
  counters["shared store conflicts"] +=
      sum("smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts");
  return counters;
}

/// Instructions of which every lane is switched off are counted as well on the device, and on the
/// device alone.
inline bool is_instructions(const std::string& counter) {
  return counter.find("instructions") != std::string::npos;
}

inline Counters counters_of(const KernelRecord& kernel) {
  return {{"global load requests", kernel.global_load.requests},
          {"global load sectors", kernel.global_load.sectors},
          {"global store requests", kernel.global_store.requests},
          {"global store sectors", kernel.global_store.sectors},
          {"shared load instructions", kernel.shared_load.requests},
          {"shared load wavefronts", kernel.shared_load.wavefronts},
          {"shared load conflicts", kernel.shared_load.conflicts},
          {"shared store instructions", kernel.shared_store.requests},
          {"shared store wavefronts", kernel.shared_store.wavefronts},
          {"shared store conflicts", kernel.shared_store.conflicts}};
}

/// A quoted field may hold commas.
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

/// A table of this folder, or of another by its path. Lines that begin with # say how it was made.
inline std::vector<Row> read_table(const std::filesystem::path& name) {
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

}  // namespace kata::test

// Reads faults.toml. Each error names the fault and what it lacks.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <array>
#include <set>
#include <utility>

#include "faults/fault.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata::faults {
namespace {

constexpr std::array<std::pair<FaultClass, const char*>, 12> classes = {
    {{FaultClass::bounds, "bounds"},
     {FaultClass::race, "race"},
     {FaultClass::barrier, "barrier"},
     {FaultClass::overflow, "overflow"},
     {FaultClass::numerics, "numerics"},
     {FaultClass::indexing, "indexing"},
     {FaultClass::layout, "layout"},
     {FaultClass::launch, "launch"},
     {FaultClass::memory_order, "memory order"},
     {FaultClass::stale_state, "stale state"},
     {FaultClass::logic, "logic"},
     {FaultClass::cheating, "cheating"}}};

std::string text_of(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string());
}

/// The first key that a table may not have; empty if there is none.
std::string unknown_key(const toml::table& table, const std::set<std::string_view>& known) {
  for (const auto& [key, value] : table) {
    if (!known.contains(key.str())) return std::string(key.str());
  }
  return "";
}

/// Returns what is wrong with the table; empty if nothing is.
std::string read_told(const toml::table& told, Fault& fault) {
  if (const std::string key = unknown_key(told, {"kind", "line", "words"}); !key.empty())
    return fmt::format("\"told\" has the unknown key {}", key);
  fault.line = text_of(told, "line");
  fault.words = text_of(told, "words");
  const std::string kind = text_of(told, "kind");
  fault.kind = finding_kind_from(kind);
  if (!fault.kind && !kind.empty())
    return fmt::format("\"{}\" is not a kind of finding. The kinds are: {}", kind,
                       fmt::join(finding_kind_names(), ", "));
  if (!fault.kind && fault.words.empty()) return "\"told\" needs a kind or words";
  if (!fault.kind && !fault.line.empty()) return "\"told\" has a line, but no kind";
  return "";
}

std::string read_changes(const toml::array& changes, Fault& fault) {
  for (const toml::node& node : changes) {
    const toml::table* change = node.as_table();
    if (!change || !change->contains("old") || !change->contains("new"))
      return "each change needs \"old\" and \"new\"";
    fault.changes.push_back({text_of(*change, "old"), text_of(*change, "new")});
    if (fault.changes.back().before.empty()) return "a change has an empty \"old\"";
  }
  return fault.changes.empty() ? "\"changes\" is empty" : "";
}

/// Changes of a kernel, or a whole one.
std::string read_kernel(const toml::table& table, const fs::path& file, Fault& fault) {
  const std::string of = text_of(table, "of");
  const toml::array* const changes = table["changes"].as_array();
  fault.kernel = text_of(table, "kernel");
  if (!fault.kernel.empty()) {
    fault.of = file;
    return of.empty() && !changes ? "" : "\"kernel\" replaces \"of\" and \"changes\"";
  }
  if (of.empty() || !changes)
    return fmt::format("\"{}\" is missing", of.empty() ? "of" : "changes");
  fault.of = of.find('/') == std::string::npos ? file.parent_path() / of : root() / of;
  return read_changes(*changes, fault);
}

std::string read_gpu(const toml::table& table, Fault& fault) {
  const std::string gpu = text_of(table, "gpu");
  fault.why = text_of(table, "why");
  if (gpu == "fails")
    fault.gpu = GpuVerdict::fails;
  else if (gpu == "passes")
    fault.gpu = GpuVerdict::passes;
  else if (gpu == "either")
    fault.gpu = GpuVerdict::either;
  else if (!gpu.empty())
    return fmt::format("the GPU verdict \"{}\" is unknown: fails, passes or either", gpu);
  const bool accepted = fault.gpu == GpuVerdict::passes || fault.gpu == GpuVerdict::either;
  return accepted && fault.why.empty() ? "\"why\" must say why a GPU accepts it" : "";
}

std::string read_fault(const toml::table& table, const fs::path& file, Fault& fault) {
  if (const std::string key = unknown_key(table, {"name", "of", "class", "level", "what", "changes",
                                                  "kernel", "told", "gpu", "why", "only_large"});
      !key.empty())
    return fmt::format("unknown key {}", key);
  for (const char* key : {"name", "class", "what"}) {
    if (text_of(table, key).empty()) return fmt::format("\"{}\" is missing", key);
  }
  fault.name = text_of(table, "name");
  fault.what = text_of(table, "what");
  const std::string fault_class = text_of(table, "class");
  if (const auto known = fault_class_from(fault_class))
    fault.fault_class = *known;
  else
    return fmt::format("\"{}\" is not a class of fault. The classes are: {}", fault_class,
                       fmt::join(fault_class_names(), ", "));
  fault.only_large = table["only_large"].value_or(false);
  fault.level = static_cast<int>(table["level"].value_or(std::int64_t{0}));
  if (fault.level < 1 || fault.level > 3) return "\"level\" must be 1, 2 or 3";
  const toml::table* const told = table["told"].as_table();
  if (!told) return "\"told\" is missing";
  for (const std::string& wrong :
       {read_kernel(table, file, fault), read_told(*told, fault), read_gpu(table, fault)}) {
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string to_string(FaultClass fault_class) {
  for (const auto& [one, name] : classes) {
    if (one == fault_class) return name;
  }
  return "";
}

std::optional<FaultClass> fault_class_from(const std::string& text) {
  for (const auto& [one, name] : classes) {
    if (text == name) return one;
  }
  return {};
}

std::vector<std::string> fault_class_names() {
  std::vector<std::string> names;
  for (const auto& [one, name] : classes) names.emplace_back(name);
  return names;
}

fs::path faults_file(const std::string& operator_name) {
  return solutions(operator_name) / "faults.toml";
}

Result<std::vector<Fault>> read_faults(const std::string& operator_name) {
  const fs::path file = faults_file(operator_name);
  const std::optional<std::string> text = read_file(file);
  std::vector<Fault> faults;
  if (!text) return faults;
  toml::table document;
  try {
    document = toml::parse(*text);
  } catch (const toml::parse_error& error) {
    return Error{
        fmt::format("{}:{}: {}", shown(file), error.source().begin.line, error.description())};
  }
  const toml::array* const tables = document["fault"].as_array();
  if (!tables || document.size() != 1)
    return Error{fmt::format("{}: holds [[fault]] tables and nothing else", shown(file))};
  std::set<std::string> names;
  for (const toml::node& node : *tables) {
    const int row = static_cast<int>(node.source().begin.line);
    const toml::table* const table = node.as_table();
    Fault fault;
    fault.row = row;
    std::string wrong = table ? read_fault(*table, file, fault) : "is no table";
    if (wrong.empty() && !names.insert(fault.name).second)
      wrong = fmt::format("a fault before it is called {}, too", fault.name);
    if (!wrong.empty()) return Error{fmt::format("{}:{}: {}", shown(file), row, wrong)};
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace kata::faults

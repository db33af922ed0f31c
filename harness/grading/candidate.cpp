#include "grading/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "compile/elf.h"
#include "emulator/lexer/lexer.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The operator that a file's name, or its folder's, names.
const Problem* problem_by_path(const fs::path& source) {
  if (const Problem* problem = find_problem(source.stem().string())) return problem;
  std::error_code failed;
  return find_problem(fs::absolute(source, failed).parent_path().filename().string());
}

/// Whether the module exports `name` with C++ linkage: _Z7softmaxPKfPfi.
bool has_cpp_linkage(const Module& module, const std::string& name) {
  const std::string mangled = fmt::format("_Z{}{}", name.size(), name);
  const std::vector<std::string> exported = read_dynamic_symbols(module.path).exported;
  return std::any_of(exported.begin(), exported.end(),
                     [&](const std::string& symbol) { return symbol.starts_with(mangled); });
}

Error cpp_linkage(const fs::path& source, const std::string& name) {
  return {fmt::format("{} defines {} with C++ linkage: put extern \"C\" in front of it",
                      shown(source), name)};
}

Result<EntryPoint> find_named_entry(const GradeRequest& request, const Module& module) {
  const Problem* problem = request.problem ? request.problem : problem_by_path(request.source);
  if (!problem) {
    return Error{fmt::format("{} could be any operator's: say which, with --operator NAME ({})",
                             shown(request.source), fmt::join(operator_names(), ", "))};
  }
  if (contains(module.functions, request.entry)) return EntryPoint{problem, request.entry};
  if (has_cpp_linkage(module, request.entry)) return cpp_linkage(request.source, request.entry);
  return Error{fmt::format(
      "{} defines no function {} that can be called from outside; it has {}", shown(request.source),
      request.entry,
      module.functions.empty() ? "none" : fmt::format("{}", fmt::join(module.functions, ", ")))};
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::string> read_source(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    return Error{fmt::format("there is no file {}", shown(path))};
  }
  if (fs::is_directory(status)) {
    return Error{fmt::format("{} is a folder; name a .cu file in it", shown(path))};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return Error{fmt::format("{} cannot be read: {}", shown(path), std::strerror(errno))};
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{fmt::format("{} is empty", shown(path))};
  }
  return text;
}

const Problem* untouched_stub_of(const std::string& text, const Problem* problem) {
  const std::string tokens = emulator::significant_tokens(text);
  for (const Problem& one : problems()) {
    if (problem && problem != &one) continue;
    const Result<std::string> untouched = read_source(stub(one.name));
    if (untouched && emulator::significant_tokens(*untouched) == tokens) return &one;
  }
  return nullptr;
}

Result<EntryPoint> find_entry(const GradeRequest& request, const Module& module) {
  if (!request.entry.empty()) return find_named_entry(request, module);
  std::vector<std::string> names =
      request.problem ? std::vector{request.problem->name} : operator_names();
  std::vector<std::string> defined;
  for (const std::string& name : names) {
    if (contains(module.functions, name)) defined.push_back(name);
  }
  if (defined.size() == 1) return EntryPoint{find_problem(defined[0]), defined[0]};
  if (defined.size() > 1) {
    return Error{
        fmt::format("{} defines the entry functions of {} operators, {}: say which one is "
                    "meant with --operator NAME",
                    shown(request.source), defined.size(), fmt::join(defined, " and "))};
  }
  for (const std::string& name : names) {
    if (has_cpp_linkage(module, name)) return cpp_linkage(request.source, name);
  }
  if (contains(module.functions, "main")) {
    return Error{fmt::format("{} is a program of its own (it defines main): {} run {}",
                             shown(request.source), command_name(), shown(request.source))};
  }
  if (request.problem) {
    return Error{
        fmt::format("{} does not define extern \"C\" {}; if its function has another name, "
                    "add --entry NAME",
                    shown(request.source), declaration(*request.problem))};
  }
  return Error{
      fmt::format("{} defines none of the entry functions ({}); if yours has another name, "
                  "add --entry NAME --operator OPERATOR",
                  shown(request.source), fmt::join(names, ", "))};
}

Result<Shape> check_shape(const Problem& problem, const Shape& shape) {
  std::vector<std::string> sizes;
  for (const Parameter& integer : problem.signature.integers) sizes.push_back(integer.name);
  if (shape.size() != sizes.size() || !is_legal(problem, shape)) {
    const std::string& limits = problem.limits.text;
    return Error{fmt::format("--size {} does not fit {}, which takes {} {}number{}: {}{}",
                             to_string(shape), problem.name, sizes.size(),
                             limits.empty() ? "positive " : "", sizes.size() == 1 ? "" : "s",
                             fmt::join(sizes, " x "), limits.empty() ? "" : "; " + limits)};
  }
  // The host's, the device's, and a copy read back. Output: also the reference in double.
  double bytes = 16.0 * static_cast<double>(output_elements(problem, shape));
  std::int64_t largest = 0;
  for (const Parameter& tensor : problem.signature.tensors) {
    const std::int64_t size = count(tensor.dims(shape));
    bytes += 3.0 * static_cast<double>(size) * static_cast<double>(size_of(tensor.type));
    largest = std::max(largest, size);
  }
  if (bytes > 0.7 * physical_memory() || largest >= std::int64_t{1} << 31) {
    return Error{fmt::format("--size {} is too large: judging {} at that size takes {:.3g} GiB",
                             to_string(shape), problem.name, bytes / (1 << 30))};
  }
  return shape;
}

}  // namespace kata

#include "grading/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "compile/elf.h"
#include "compile/library_calls.h"
#include "compile/sources.h"
#include "emulator/lexer/lexer.h"
#include "grading/gpu.h"
#include "support/files.h"
#include "support/nearest.h"
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

Result<EntryPoint> find_named_entry(const Candidate& candidate, const Module& module) {
  const std::string& name = candidate.entry;
  if (contains(module.functions, name)) return EntryPoint{candidate.problem, name};
  if (has_cpp_linkage(module, name)) return cpp_linkage(candidate.path, name);
  return Error{fmt::format(
      "{} defines no function {} that can be called from outside; it has {}", shown(candidate.path),
      name,
      module.functions.empty() ? "none" : fmt::format("{}", fmt::join(module.functions, ", ")))};
}

/// The file's tokens, without white space and comments.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (emulator::Token& token : emulator::lex(text)) {
    const bool says_nothing =
        token.kind == emulator::TokenKind::space || token.kind == emulator::TokenKind::define_end;
    if (!says_nothing) tokens.push_back(std::move(token.text));
  }
  return tokens;
}

/// True where the text has `name(...) {`.
bool defines_function(const std::vector<std::string>& tokens, const std::string& name) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i] != name || tokens[i + 1] != "(") continue;
    int depth = 0;
    for (std::size_t end = i + 1; end < tokens.size(); ++end) {
      depth += tokens[end] == "(";
      depth -= tokens[end] == ")";
      if (depth > 0) continue;
      if (end + 1 < tokens.size() && tokens[end + 1] == "{") return true;
      break;
    }
  }
  return false;
}

/// The one operator whose entry function the text defines; null where that is none or several, and
/// the compiled file has to show it.
const Problem* problem_in_text(const std::string& text) {
  const std::vector<std::string> tokens = tokens_of(text);
  const Problem* found = nullptr;
  for (const Problem& problem : problems()) {
    if (!defines_function(tokens, problem.name)) continue;
    if (found) return nullptr;
    found = &problem;
  }
  return found;
}

/// Whether the text can define `name`: it says it, or takes it from a header or a macro.
bool may_define(const std::string& text, const std::string& name) {
  const std::vector<std::string> tokens = tokens_of(text);
  return contains(tokens, name) || text.find("##") != std::string::npos ||
         includes_own_headers(text);
}

std::optional<Error> check_arguments(const Candidate& candidate) {
  if (!candidate.entry.empty() && !candidate.problem) {
    return Error{fmt::format("{} could be any operator's: say which, with --operator NAME ({})",
                             shown(candidate.path), fmt::join(operator_names(), ", "))};
  }
  if (!candidate.entry.empty() && !may_define(candidate.text, candidate.entry)) {
    return Error{fmt::format("{} defines no function {}", shown(candidate.path), candidate.entry)};
  }
  const Problem* const problem =
      candidate.problem ? candidate.problem : problem_in_text(candidate.text);
  if (!problem || !candidate.size) return {};
  const Result<Shape> shape = check_shape(*problem, *candidate.size);
  return shape ? std::nullopt : std::optional(shape.error());
}

/// True also where a class is graded, whose command does not have this option.
std::string to_check_another_name() {
  return fmt::format("A function of any name: {} check --operator OPERATOR --entry NAME",
                     command_name());
}

/// By its name, which must be one that compilers take for C, C++ or CUDA.
bool is_source(const fs::path& path) {
  constexpr std::array extensions{".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"};
  return std::ranges::find(extensions, path.extension()) != extensions.end();
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code failed;
  return fs::equivalent(one, other, failed);
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// An exercise asks for kernels of one's own. The ladder's files for libraries are what these are
/// compared with.
std::optional<Error> library_call_of(const Candidate& candidate) {
  std::error_code unknown;
  const fs::path folder = fs::weakly_canonical(candidate.path, unknown).parent_path();
  const fs::path of_an_operator = solutions(folder.filename().string());
  if (folder == fs::weakly_canonical(of_an_operator, unknown)) return std::nullopt;
  const auto call = library_call(candidate.path, candidate.text);
  if (!call) return std::nullopt;
  return Error{
      fmt::format("{}:{}: {} is {}'s: an exercise asks for kernels of your own, without a "
                  "library",
                  shown(call->file), call->line, call->name, call->library)};
}

}  // namespace

Result<Candidate> read_candidate(const fs::path& path, const CandidateArguments& arguments) {
  Result<std::string> text = read_source(path);
  if (!text) return text.error();
  if (!is_source(path)) return Error{shown(path) + " is no source; name a .cu file"};
  Candidate candidate{.path = path,
                      .text = std::move(*text),
                      .problem = arguments.problem,
                      .entry = arguments.entry,
                      .size = arguments.size};
  for (const Problem& problem : problems()) {
    if (candidate.problem && candidate.problem != &problem) continue;
    if (!is_same_file(path, exercise(problem.name))) continue;
    candidate.problem = &problem;
    candidate.is_exercise = true;
  }
  if (!candidate.problem && !candidate.entry.empty()) candidate.problem = problem_by_path(path);
  if (const auto error = check_arguments(candidate)) return *error;
  return candidate;
}

const Problem* untouched_stub_of(const Candidate& candidate) {
  const std::string tokens = emulator::significant_tokens(candidate.text);
  for (const Problem& one : problems()) {
    if (candidate.problem && candidate.problem != &one) continue;
    const std::optional<std::string> untouched = read_file(stub(one.name));
    if (untouched && emulator::significant_tokens(*untouched) == tokens) return &one;
  }
  return nullptr;
}

Result<EntryPoint> find_entry(const Candidate& candidate, const Module& module) {
  if (!candidate.entry.empty()) return find_named_entry(candidate, module);
  std::vector<std::string> names =
      candidate.problem ? std::vector{candidate.problem->name} : operator_names();
  std::vector<std::string> defined;
  for (const std::string& name : names) {
    if (contains(module.functions, name)) defined.push_back(name);
  }
  if (defined.size() == 1) return EntryPoint{find_problem(defined[0]), defined[0]};
  if (defined.size() > 1) {
    return Error{
        fmt::format("{} defines the entry functions of {} operators, {}: say which one is "
                    "meant with --operator NAME",
                    shown(candidate.path), defined.size(), fmt::join(defined, " and "))};
  }
  for (const std::string& name : names) {
    if (has_cpp_linkage(module, name)) return cpp_linkage(candidate.path, name);
  }
  if (contains(module.functions, "main")) {
    return Error{fmt::format("{} is a program of its own (it defines main): {} run {}",
                             shown(candidate.path), command_name(), shown(candidate.path))};
  }
  for (const std::string& function : module.functions) {
    const std::string meant = nearest(function, names);
    if (meant.empty()) continue;
    return Error{fmt::format("{} defines {}. Did you mean {}? {}", shown(candidate.path), function,
                             meant, to_check_another_name())};
  }
  if (candidate.problem) {
    return Error{fmt::format("{} does not define extern \"C\" {}. {}", shown(candidate.path),
                             declaration(*candidate.problem), to_check_another_name())};
  }
  return Error{
      fmt::format("{} defines no operator's entry function: name it after the operator ({} list "
                  "shows all {}), or add --entry NAME --operator OPERATOR",
                  shown(candidate.path), command_name(), names.size())};
}

Result<CompiledCandidate> compile_candidate(const Candidate& candidate, Backend backend,
                                            Build build) {
  if (const auto call = library_call_of(candidate)) return *call;
  Result<Module> module =
      compile({.source = candidate.path,
               .text = candidate.text,
               .backend = backend,
               .compute_capability = backend == Backend::gpu ? compute_capability() : "",
               .instrumented = build != Build::fast,
               .zero_locals = build == Build::checked_zero_locals,
               .overflows = build == Build::checked_overflows,
               .as_nvcc = true});
  if (!module) return module.error();
  Result<EntryPoint> entry = find_entry(candidate, *module);
  if (!entry) return entry.error();
  if (candidate.size) {  // again: only now the operator is sure
    const Result<Shape> shape = check_shape(*entry->problem, *candidate.size);
    if (!shape) return shape.error();
  }
  return CompiledCandidate{std::move(*module), std::move(*entry)};
}

Result<Shape> parse_shape(const std::string& text) {
  const Error wrong{fmt::format("--size {} is no size: give numbers like 1000 or 256x1024", text)};
  Shape shape;
  const char* place = text.data();
  const char* const end = place + text.size();
  while (true) {
    int number = 0;
    const auto [next, failed] = std::from_chars(place, end, number);
    if (failed != std::errc() || number < 0) return wrong;
    shape.push_back(number);
    if (next == end) return shape;
    if (*next != 'x') return wrong;
    place = next + 1;
  }
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

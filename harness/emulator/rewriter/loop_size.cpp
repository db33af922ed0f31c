#include "emulator/rewriter/loop_size.h"

#include <algorithm>

namespace kata::emulator {
namespace {

constexpr unsigned too_large = 1000, most_depth = 4;
/// The largest bodies that nvcc 13.0 unrolls by four and by two, in LLVM's instructions.
constexpr unsigned most_by_four = 49, most_by_two = 92;
/// A function that is in no table: as large as a shuffle.
constexpr unsigned other_call = 3;

// What nvcc 13.0 makes of CUDA's functions, in LLVM's instructions. A test adds one line after
// another to a loop until nvcc no longer unrolls it by four, and by two
// (tests/nvcc/loops_test.cpp).
const std::map<std::string, unsigned, std::less<>> called{
    {"expf", 12},        {"exp", 12},         {"exp2f", 1},       {"exp10f", 12},
    {"expm1f", 29},      {"logf", 29},        {"log", 29},        {"log2f", 31},
    {"log10f", 30},      {"log1pf", 33},      {"tanhf", 17},      {"tanh", 17},
    {"sinhf", 27},       {"coshf", 18},       {"atanf", 21},      {"erff", 25},
    {"erf", 25},         {"erfcf", 53},       {"normcdff", 71},   {"cbrtf", 16},
    {"hypotf", 24},      {"atan2f", 40},      {"sqrtf", 1},       {"sqrt", 1},
    {"rsqrtf", 1},       {"rsqrt", 1},        {"fabsf", 1},       {"fabs", 1},
    {"floorf", 1},       {"ceilf", 1},        {"rintf", 1},       {"truncf", 1},
    {"roundf", 3},       {"fmaxf", 1},        {"fminf", 1},       {"copysignf", 1},
    {"fmaf", 1},         {"fdividef", 4},     {"__fdividef", 1},  {"__expf", 2},
    {"__exp10f", 2},     {"__logf", 2},       {"__log2f", 1},     {"__sinf", 1},
    {"__cosf", 1},       {"__powf", 3},       {"__fadd_rn", 1},   {"__fmul_rn", 1},
    {"__fmaf_rn", 1},    {"__frcp_rn", 1},    {"__fsqrt_rn", 1},  {"max", 2},
    {"min", 2},          {"abs", 3},          {"__popc", 1},      {"__clz", 1},
    {"__ffs", 3},        {"__brev", 1},       {"atomicAdd", 1},   {"sinf", too_large},
    {"cosf", too_large}, {"powf", too_large}, {"pow", too_large}, {"fmodf", too_large}};
/// Of a number that the text says is double.
const std::map<std::string, unsigned, std::less<>> called_with_double{
    {"exp", 44}, {"log", 66}, {"tanh", 55}, {"erf", 55}, {"sqrt", 4}, {"pow", 74}};
/// Words before a bracket, as a function's name is. The load of __ldg is behind an address
/// that has been counted.
const std::map<std::string, unsigned, std::less<>> words{{"sizeof", 0}, {"if", 1},  {"switch", 2},
                                                         {"float", 1},  {"int", 1}, {"return", 0},
                                                         {"while", 1},  {"for", 1}, {"__ldg", 1}};
/// Iterations of a function's own loop, which nvcc unrolls as a whole: 16, 8, 4, 2, 1.
constexpr unsigned inner_iterations = 5;

unsigned size_of(const Tokens& tokens, const Range& range, const Function& function,
                 const Functions& functions, unsigned depth);

unsigned size_of_call(const Tokens& tokens, int i, const Functions& functions, unsigned depth) {
  const std::string& name = tokens[i].text;
  const int open = next(tokens, i);
  const bool has_double = has_any(tokens, {open, closing(tokens, open)}, {"double"});
  const auto wide = called_with_double.find(name);
  if (has_double && wide != called_with_double.end()) return wide->second;
  for (const auto* table : {&called, &words}) {
    const auto known = table->find(name);
    if (known != table->end()) return known->second;
  }
  const auto found = functions.by_name.find(name);
  if (found == functions.by_name.end()) return other_call;
  if (depth == most_depth) return too_large;
  const Function& function = functions.all[found->second];
  return size_of(tokens, {function.body.open, function.body.close}, function, functions, depth + 1);
}

unsigned size_of_operator(const Tokens& tokens, int i) {
  if (is(tokens, i, "[") && is(tokens, previous(tokens, i), "]")) return 1;  // one more index
  if (is(tokens, i, "[")) return 3;  // an index, an address, an access
  if (is_one_of(tokens, i, {"/", "/="}))
    return tokens[std::max(next(tokens, i), 0)].kind == TokenKind::number ? 1 : 4;
  const bool of_a_type = is_one_of(tokens, next(tokens, i), {")", ">"}) ||
                         is_one_of(tokens, next(tokens, i), {"const", "__restrict__"});
  if (is_one_of(tokens, i, {"*", "&"})) return of_a_type ? 0 : 1;
  return is_one_of(tokens, i,
                   {"+",  "-",  "%",  "|",  "^",  "<",  ">",  "<<", ">>", "<=", ">=", "==", "!=",
                    "++", "--", "+=", "-=", "*=", "%=", "&=", "|=", "^=", "?",  "&&", "||"});
}

/// Whether the compiler knows how often the loop runs: its head names nothing but its counter and
/// constants.
bool is_constant(const Tokens& tokens, const Loop& loop, const Names& no_constants) {
  const auto varies = [&](int i) {
    if (!is_identifier(tokens, i)) return false;
    const bool counts = any_in(tokens, loop.change, [&](int j) {
      return is_identifier(tokens, j) && tokens[j].text == tokens[i].text;
    });
    return !counts && no_constants.count(tokens[i].text) > 0;
  };
  return loop.initial.first != none && !any_in(tokens, loop.initial, varies) &&
         !any_in(tokens, loop.condition, varies) && !any_in(tokens, loop.change, varies);
}

unsigned size_of(const Tokens& tokens, const Range& range, const Function& function,
                 const Functions& functions, unsigned depth) {
  unsigned size = 0;
  for (int i = range.first; i != none && i <= range.last && size < too_large; i = next(tokens, i)) {
    if (is_one_of(tokens, i, {"for", "while", "do"})) {
      const auto loop = loop_at(tokens, i);
      if (!loop || !is_constant(tokens, *loop, function.no_constants)) return too_large;
      size += inner_iterations * size_of(tokens, loop->body, function, functions, depth);
      i = loop->body.last;
    } else if (is_identifier(tokens, i) && is(tokens, next(tokens, i), "(")) {
      size += size_of_call(tokens, i, functions, depth);
    } else {
      size += size_of_operator(tokens, i);
    }
  }
  return size;
}

/// The variables of the file that kernels read.
Names device_variables(const Tokens& tokens) {
  Names names;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is_one_of(tokens, i, {"__device__", "__constant__"})) continue;
    int end = i;
    while (end != none && !is_one_of(tokens, end, {";", "(", "{", "=", "["}))
      end = next(tokens, end);
    if (end != none && !is(tokens, end, "(")) names.insert(tokens[previous(tokens, end)].text);
  }
  return names;
}

}  // namespace

Functions functions_of(const Tokens& tokens, const std::vector<FunctionBody>& bodies) {
  const Names constants = constants_of(tokens), of_the_file = device_variables(tokens);
  Functions functions;
  for (const FunctionBody& body : bodies) {
    const int name = name_of_function(tokens, body);
    if (name != none) functions.by_name[tokens[name].text] = functions.all.size();
    Names names{"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    Names variables = variables_of(tokens, body, constants);
    Names parameters = parameters_of(tokens, body);
    names.insert(variables.begin(), variables.end());
    names.insert(parameters.begin(), parameters.end());
    names.insert(of_the_file.begin(), of_the_file.end());
    functions.all.push_back({body, std::move(variables), std::move(parameters), std::move(names)});
  }
  return functions;
}

std::vector<FunctionOnDevice> functions_on_device(const Tokens& tokens,
                                                  const Functions& functions) {
  std::vector<FunctionOnDevice> result;
  for (const Function& function : functions.all) {
    const Range head{function.body.head, function.body.open};
    if (!has_any(tokens, head, {"__global__", "__device__"}) ||
        has_any(tokens, head, {"constexpr"}))
      continue;
    const bool is_kernel = has_any(tokens, head, {"__global__"});
    Names variables = function.variables;
    if (!is_kernel) variables.insert(function.parameters.begin(), function.parameters.end());
    result.push_back({function, is_kernel, std::move(variables),
                      shared_names(tokens, function.body, is_kernel)});
  }
  return result;
}

std::vector<std::string> functions_of_known_size() {
  std::vector<std::string> names;
  for (const auto& [name, size] : called) names.push_back(name);
  return names;
}

unsigned size_of_body(const Tokens& tokens, const Range& body, const Function& function,
                      const Functions& functions) {
  return size_of(tokens, body, function, functions, 0);
}

unsigned unrolled_copies(unsigned size) {
  return size <= most_by_four ? 4 : size <= most_by_two ? 2 : 1;
}

}  // namespace kata::emulator

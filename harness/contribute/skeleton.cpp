#include "contribute/skeleton.h"
#include "contribute/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <regex>

#include "compile/compile.h"
#include "contribute/checks.h"
#include "contribute/new_signature.h"
#include "problems/spec/problem.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata {
namespace {

using contribute::NewParameter;
using contribute::parameter_list;
using Kind = NewParameter::Kind;
using Parameters = std::vector<NewParameter>;

std::vector<std::string> names_of(const Parameters& parameters, Kind kind) {
  std::vector<std::string> names;
  for (const NewParameter& one : parameters) {
    if (one.kind == kind) names.push_back(one.name);
  }
  return names;
}

/// "{17, 17, 1}" for two sizes and another int
std::string shape_of(const Parameters& parameters, const std::string& size) {
  std::vector<std::string> numbers;
  for (const NewParameter& one : parameters) {
    if (one.kind == Kind::size) numbers.push_back(size);
    if (one.kind == Kind::integer) numbers.push_back("1");
  }
  return "{" + joined(numbers, ", ") + "}";
}

/// "dims<0, 1>": the sizes among the ints
std::string dims_of(const Parameters& parameters) {
  std::vector<std::string> positions;
  int ints = 0;
  for (const NewParameter& one : parameters) {
    if (one.kind == Kind::size) positions.push_back(std::to_string(ints));
    ints += one.kind == Kind::size || one.kind == Kind::integer;
  }
  return "dims<" + joined(positions, ", ") + ">";
}

std::string declared(const Parameters& parameters, const std::string& dims) {
  std::vector<std::string> list;
  for (const NewParameter& one : parameters) {
    switch (one.kind) {
      case Kind::input:
        list.push_back(fmt::format("input<{}>(\"{}\", {})", one.host_type, one.name, dims));
        break;
      case Kind::output:
        list.push_back(fmt::format("output<{}>(\"{}\", {})", one.host_type, one.name, dims));
        break;
      case Kind::size:
      case Kind::integer:
        list.push_back(fmt::format("integer(\"{}\", 1, 1 << 24)", one.name));
        break;
      case Kind::real:
        list.push_back(fmt::format("real(\"{}\", 1)", one.name));
        break;
    }
  }
  return joined(list, ",\n        ");
}

std::string problem_text(const std::string& name, const Parameters& parameters) {
  const std::size_t sizes = names_of(parameters, Kind::size).size();
  const std::string dims = dims_of(parameters);
  std::string expected;
  for (const std::string& output : names_of(parameters, Kind::output))
    expected += fmt::format("      {{.value = std::vector<double>(size)}},  // {}\n", output);
  return fmt::format(
      R"(// {name}: TODO: what is computed, as a formula
#include "problems/spec/problem.h"

namespace kata::problem::{name} {{

// TODO: compute each output in double precision, and say how far from it a right kernel may be.
Outputs reference([[maybe_unused]] const Inputs& inputs, const Case& one_case) {{
  const auto size = static_cast<std::size_t>(count({dims}(one_case.shape)));
  return {{
{expected}  }};
}}

// TODO: each input is read once and each output written once.
Cost cost(const Shape& shape) {{
  const auto size = static_cast<double>(count({dims}(shape)));
  return {{.bytes_read = 4 * size, .bytes_written = 4 * size, .operations = size}};
}}

REGISTER_PROBLEM({{
    .name = "{name}",
    .summary = "TODO: one line for kata show",
    .frequency = "medium",
    .difficulty = "medium",
    // TODO: the dimensions of each tensor (dims.h). An output that arrives with values is in_out<T>.
    // draw.h draws other inputs. TODO: the range of each integer that the exercise promises.
    .signature = signature(
        {signature}),
    .cases = {{{{{one}}}, {{{few}}}, {{{more}, Values::outliers}}}},
    .bench_shapes = {{{large}}},
    .reference = reference,
    .cost = cost,
}});

}}  // namespace kata::problem::{name}
)",
      fmt::arg("name", name), fmt::arg("dims", dims), fmt::arg("expected", expected),
      fmt::arg("signature", declared(parameters, dims)), fmt::arg("one", shape_of(parameters, "1")),
      fmt::arg("few", shape_of(parameters, "17")),
      fmt::arg("more", shape_of(parameters, sizes == 1 ? "4099" : "33")),
      fmt::arg("large", shape_of(parameters, sizes == 1 ? "1 << 24" : "512")));
}

/// The headers of the short floats, where they occur.
std::string type_headers(const Parameters& parameters) {
  const auto uses = [&](const char* type) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const NewParameter& one) { return one.cuda_type == type; });
  };
  std::string headers;
  if (uses("__nv_bfloat16")) headers += "#include <cuda_bf16.h>\n";
  if (uses("__half")) headers += "#include <cuda_fp16.h>\n";
  if (uses("__nv_fp8_e4m3")) headers += "#include <cuda_fp8.h>\n";
  return headers.empty() ? "" : headers + "\n";
}

std::string kernel_text(const std::string& header, const std::string& name,
                        const Parameters& parameters, const std::string& body) {
  std::vector<std::string> arguments;
  for (const NewParameter& one : parameters) arguments.push_back(one.name);
  return fmt::format(R"({header}{includes}#include <kata/kata.h>

__global__ void {name}_kernel({parameters}) {{
  {body}
}}

// Given: one thread for each element, in blocks of 256.
extern "C" void {name}({parameters}) {{
  const dim3 block(256);
  const dim3 grid(kata::ceil_div({size}, 256));
  {name}_kernel<<<grid, block>>>({arguments});
}}
)",
                     fmt::arg("header", header), fmt::arg("includes", type_headers(parameters)),
                     fmt::arg("name", name), fmt::arg("parameters", parameter_list(parameters)),
                     fmt::arg("body", body),
                     fmt::arg("size", joined(names_of(parameters, Kind::size), " * ")),
                     fmt::arg("arguments", joined(arguments, ", ")));
}

std::string readme_text(const std::string& name, const Parameters& parameters) {
  std::string text = fmt::format(
      "# {0}\n\nTODO: the task as an interviewer states it.\n\n"
      "    extern \"C\" void {0}({1});   // device pointers\n\n"
      "## Constraints\n\n- TODO: legal sizes, exactness, what must not change.\n{2}\n"
      "- Ranges: TODO: kata test prints this line.\n\n"
      "## Examples\n\nTODO: one small input with its output.\n\n"
      "## Clarifying questions\n\n",
      name, parameter_list(parameters), contribute::rules_line());
  for (const char* question :
       {"sizes: How large are the inputs?", "values: Can there be NaN or infinities?",
        "alignment: What may I assume of the pointers?", "output: Is the output zeroed before?",
        "precision: How exact must the result be?"}) {
    text += fmt::format("### {}\n\n<details><summary>Answer</summary>\n\nTODO\n\n</details>\n\n",
                        question);
  }
  text += "## Hints\n\n";
  for (int hint = 1; hint <= 3; ++hint) {
    text += fmt::format(
        "### Hint {}\n\n<details><summary>Show</summary>\n\nTODO: no code.\n\n</details>\n\n",
        hint);
  }
  text += "## Follow-up questions\n\n";
  for (const char* question : {"What limits your kernel?", "How would you make it faster?",
                               "TODO: what an interviewer asks next?"}) {
    text += fmt::format("### {}\n\n<details><summary>Answer</summary>\n\nTODO\n\n</details>\n\n",
                        question);
  }
  text.pop_back();
  return text;
}

/// Why the stub does not compile, in one line. An error in the stub itself is a name that C++,
/// CUDA or the stub has taken. Any other error is in the headers or the compiler.
Error why_not_compiled(const std::string& name, const Error& error) {
  const std::string place = shown(kata::stub(name)) + ":";
  for (const std::string& line : lines_of(error.detail)) {
    const std::size_t at = line.find("error: ");
    if (at == std::string::npos) continue;
    const std::string message = line.substr(at + std::strlen("error: "));
    if (line.starts_with(place))
      return {fmt::format("choose other names, one of {}'s is taken: {}", name, message)};
    return {fmt::format("cannot compile {}'s stub: {}", name, message)};
  }
  return {fmt::format("cannot compile {}'s stub: {}", name, error.message)};
}

/// The text as clang-format lays it out, if it is installed.
std::string formatted(const SkeletonFile& file) {
  if (file.path.extension() == ".md") return file.text;
  const Result<Finished> finished =
      run({.arguments = {"clang-format", "--assume-filename=" + (root() / file.path).string()},
           .input = file.text,
           .time_limit_s = 10});
  return finished && finished->exit_status == 0 ? finished->output : file.text;
}

}  // namespace

Result<std::vector<SkeletonFile>> skeleton(const std::string& name, const std::string& signature,
                                           const std::vector<std::string>& scalars) {
  if (!std::regex_match(name, std::regex("[a-z][a-z0-9_]*")))
    return Error{
        fmt::format("{} is not a valid operator name: use lower-case letters, digits and _", name)};
  if (find_problem(name)) return Error{fmt::format("{} is an operator already", name)};
  const Result<Parameters> parameters = contribute::parse_signature(name, signature, scalars);
  if (!parameters) return parameters.error();
  const std::string stub = kernel_text(
      fmt::format("// TODO: what is computed, what each pointer holds, which sizes are legal.\n//\n"
                  "// Check it: harness/kata check {0}   or   ctest -R {0}\n",
                  name),
      name, *parameters, "// your code");
  const std::string rung = kernel_text(
      "// One thread per element: TODO: the idea in one line.\n//\n// TODO: why it helps, "
      "and a prediction with a number.\n// TODO: keep this line in one rung alone. The rung to "
      "reach in 30 minutes.\n// Measured: not yet\n",
      name, *parameters, "// TODO");
  if (const Result<Module> module = compile({.source = kata::stub(name), .text = stub}); !module)
    return why_not_compiled(name, module.error());
  const std::filesystem::path exercise = std::filesystem::path("exercises") / name;
  std::vector<SkeletonFile> files{
      {"harness/problems/" + name + ".cpp", problem_text(name, *parameters)},
      {exercise / ".stub.cu", stub},
      {exercise / (name + ".cu"), stub},
      {exercise / "README.md", readme_text(name, *parameters)},
      {"solutions/" + name + "/1_thread_per_element.cu", rung}};
  for (SkeletonFile& file : files) file.text = formatted(file);
  return files;
}

}  // namespace kata

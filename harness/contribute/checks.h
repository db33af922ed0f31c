#pragma once
// The parts of operator_test.h, one function for each line of the result.

#include "contribute/operator_test.h"

namespace kata::contribute {

using Progress = std::function<void(const std::string&)>;

/// Right if `details` is empty, else wrong.
OperatorCheck check_of(const std::string& name, const std::string& summary,
                       std::vector<std::string> details);

/// Places that still say TODO, as `kata new` wrote them.
OperatorCheck check_todos(const Problem& problem);

OperatorCheck check_stub(const Problem& problem);
OperatorCheck check_readme(const Problem& problem);
/// What a candidate may be written with: one line of every README's constraints.
std::string rules_line(bool on_several_devices = false);
/// Whether the README's constraints have that line, and the one with the sizes and values of the
/// cases.
OperatorCheck check_ranges(const Problem& problem);

OperatorCheck check_tolerance(const Problem& problem, TestScope scope);

OperatorCheck check_rungs(const Problem& problem, TestScope scope, const Progress& progress);
/// Whether nvcc compiles the rungs and the library's files. No GPU is needed.
OperatorCheck check_nvcc(const Problem& problem, const Progress& progress);
OperatorCheck check_accepted(const Problem& problem, TestScope scope, const Progress& progress);
/// Whether faults.toml can be read and fits its kernels.
OperatorCheck check_faults_file(const Problem& problem);
/// Whether the faulty kernels are rejected as faults.toml says.
OperatorCheck check_faults(const Problem& problem, TestScope scope, const Progress& progress);

OperatorCheck check_times(const Problem& problem);
OperatorCheck check_profiles(const Problem& problem);
/// Whether solutions/<operator>/assembly.jsonl has every rung as it is. Without nvcc: not measured.
OperatorCheck check_assembly(const Problem& problem);
OperatorCheck check_gpu_verdicts(const Problem& problem);

}  // namespace kata::contribute

#pragma once
// A whole program with its own main() -> compile -> the emulator's worker -> report.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/report.h"

namespace kata {

struct ProgramRequest {
  std::vector<std::filesystem::path> sources;  ///< its translation units; the first names it
  std::vector<std::filesystem::path> include_folders = {};
  std::vector<std::string> definitions = {};  ///< "NAME" or "NAME=VALUE"
  bool openmp = false;                        ///< its host code has OpenMP's pragmas
  std::string standard = {};                  ///< "c++20"; empty: C++17, as nvcc has it
  std::vector<std::string> arguments = {};
  bool checked = true;  ///< false: memory accesses of its kernels are not checked
  /// Of processor time with checks; 0: no limit. Where no error was found by then, the program runs
  /// again, without them.
  double checked_s = 0;
  bool output_on_errors = false;  ///< what it prints goes to standard error
  std::function<void(const std::string& what)> progress = {};  ///< until the program begins
  std::function<void()> begins = {};
  std::function<void()> begins_again = {};  ///< without checks, after `checked_s`
};

/// Runs it to its end on our standard streams. Verdicts: `error` if it could not run (`error` says
/// why), `fail` if it did not return 0 or there are findings of severity error, else `pass`.
Report run_program(const ProgramRequest& request);

}  // namespace kata

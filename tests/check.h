#pragma once
// `kata check` as a test starts it.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.h"

namespace kata::test {

using Json = nlohmann::json;

struct Outcome {
  int exit_status;
  Json report;         ///< discarded where none was printed
  std::string errors;  ///< standard error
};

/// On the emulator, without large cases: for tests of other things. Any thread may call it.
inline Outcome check(const std::filesystem::path& file,
                     const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments{std::string(KATA_BINARY_DIR) + "/kata",
                                     "check",
                                     file.string(),
                                     "--backend",
                                     "emulator",
                                     "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto finished = kata::run(
      {.arguments = arguments, .environment = {{"KATA_LARGE_CASES", "off"}}, .time_limit_s = 120});
  if (!finished) return {-1, Json::parse("", nullptr, false), finished.error().message};
  return {finished->exit_status, Json::parse(finished->output, nullptr, false), finished->errors};
}

}  // namespace kata::test

#include "compile/run_compiler.h"

#include "support/paths.h"

namespace kata {
namespace {

constexpr int time_limit_s = 300;

}  // namespace

Result<Finished> run_compiler(const Toolchain& toolchain, const std::vector<std::string>& arguments,
                              const std::string& input, const std::filesystem::path& source) {
  ProcessOptions options{.arguments = arguments, .input = input, .time_limit_s = time_limit_s};
  options.arguments.insert(options.arguments.begin(), toolchain.compiler.string());
  const Result<Finished> finished = run(options);
  if (!finished) return finished.error();
  const std::string doing = " while compiling " + shown(source);
  if (finished->interrupted) return Error{"interrupted" + doing};
  if (finished->timed_out) {
    return Error{toolchain.name + " was stopped after " + std::to_string(time_limit_s) + " s" +
                 doing + ": the file has to become simpler"};
  }
  if (finished->signal != 0) {
    return Error{toolchain.name + " was killed by signal " + std::to_string(finished->signal) +
                     doing + ": is memory short?",
                 finished->errors};
  }
  if (finished->exit_status != 0 &&
      finished->errors.find("No space left on device") != std::string::npos) {
    return Error{"the disk is full" + doing + ": make room, then try again", finished->errors};
  }
  return *finished;
}

}  // namespace kata

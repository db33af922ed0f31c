#include "cli/backend.h"

#include "compile/toolchain.h"
#include "grading/gpu.h"

namespace kata::cli {

Result<Backend> choose_backend(const std::string& wanted) {
  if (wanted == "emulator") return Backend::emulator;
  const Result<Toolchain> toolchain = gpu_toolchain("", {});  // starts nothing: asked first
  if (toolchain && gpu()) return Backend::gpu;
  if (wanted == "auto") return Backend::emulator;
  return toolchain ? gpu().error() : toolchain.error();
}

Result<Backend> choose_backend(const std::string& wanted, const std::string& on) {
  if (on.empty()) return choose_backend(wanted);
  return wanted == "emulator" ? Backend::emulator : Backend::gpu;
}

bool wants_both(const std::string& wanted, const Candidate& candidate) {
  return wanted == "auto" && !candidate.size;
}

}  // namespace kata::cli

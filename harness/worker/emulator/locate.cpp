#include "worker/emulator/locate.h"

#include <dlfcn.h>

#include "emulator/emulator.h"

namespace kata {
namespace {

std::filesystem::path& own_module() {
  static std::filesystem::path module;
  return module;
}

std::string locate(const void* code_address) {
  Dl_info info;
  const bool own = dladdr(code_address, &info) != 0 && own_module() == info.dli_fname;
  return own ? emulator::locate(code_address) : "";
}

}  // namespace

void locate_in(const std::filesystem::path& module) {
  own_module() = module;
}

CodeOfCandidate code_of_candidate() {
  return {.locate = locate,
          .is_stack_overflow = emulator::is_stack_overflow,
          .end_at_stack_overflow = emulator::end_at_stack_overflow,
          .progress = emulator::steps_done,
          .is_full = emulator::is_full,
          .end_kernels = emulator::end_launches};
}

}  // namespace kata

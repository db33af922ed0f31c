#include "worker/emulator/locate.h"

#include <dlfcn.h>

#include "emulator/emulator.h"

namespace kata {
namespace {

std::filesystem::path& own_module() {
  static std::filesystem::path module;
  return module;
}

}  // namespace

void locate_in(const std::filesystem::path& module) {
  own_module() = module;
}

std::string locate(const void* code_address) {
  Dl_info info;
  const bool own = dladdr(code_address, &info) != 0 && own_module() == info.dli_fname;
  return own ? emulator::locate(code_address) : "";
}

}  // namespace kata

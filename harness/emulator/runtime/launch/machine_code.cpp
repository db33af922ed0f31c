#include "emulator/runtime/launch/machine_code.h"

#include <dlfcn.h>

#include <filesystem>

namespace kata::emulator {

std::unique_ptr<MachineCode> MachineCode::of(const std::string& cubin) {
  static auto* const read = [] {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    void* const library =
        dlopen((program.parent_path() / machine_code_library).c_str(), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<ReadMachineCode*>(library ? dlsym(library, read_machine_code)
                                                      : nullptr);
  }();
  return std::unique_ptr<MachineCode>(read ? read(cubin.c_str()) : nullptr);
}

}  // namespace kata::emulator

#include "emulator/runtime/ptx/ptx.h"
#include "fuzz/targets.h"

namespace kata::fuzz {

void ptx(std::string_view statement) {
  const emulator::ptx::Program program = emulator::ptx::parse(statement, 4);
  require(!program.problem.empty() || program.slots <= emulator::ptx::most_slots);
}

}  // namespace kata::fuzz

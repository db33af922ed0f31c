#include "emulator/runtime/launch/builtins.h"

#include "emulator/runtime/launch/running.h"

extern "C" {
__thread kata::emulator::Triple threadIdx;
__thread kata::emulator::Triple blockIdx;
__thread kata::emulator::Triple blockDim;
__thread kata::emulator::Triple gridDim;
}

namespace kata::emulator {

__thread Running running;

}  // namespace kata::emulator

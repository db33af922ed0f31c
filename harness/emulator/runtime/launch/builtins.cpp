#include "emulator/runtime/launch/builtins.h"

#include "emulator/runtime/launch/running.h"

// A definition without the attribute of its declaration takes it back for the rest of a translation
// unit, and in a unity build that has the hooks: each of them would call __tls_get_addr.

extern "C" {
__thread kata::emulator::Triple threadIdx KATA_BUILTIN;
__thread kata::emulator::Triple blockIdx KATA_BUILTIN;
__thread kata::emulator::Triple blockDim KATA_BUILTIN;
__thread kata::emulator::Triple gridDim KATA_BUILTIN;
}

namespace kata::emulator {

__thread Running running __attribute__((tls_model("initial-exec"), visibility("default"))) =
    host_runs();

}  // namespace kata::emulator

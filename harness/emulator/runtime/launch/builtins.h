#pragma once
// CUDA's built-in variables. A fiber's switch sets them; the headers show them to candidates as
// const.

#include "emulator/abi.h"

#define KATA_BUILTIN __attribute__((tls_model("initial-exec")))
extern "C" {
extern __thread kata::emulator::Triple threadIdx KATA_BUILTIN;
extern __thread kata::emulator::Triple blockIdx KATA_BUILTIN;
extern __thread kata::emulator::Triple blockDim KATA_BUILTIN;
extern __thread kata::emulator::Triple gridDim KATA_BUILTIN;
}

#pragma once
// Where the candidates of accepted_test.cpp are judged: test_accepted has an emulator in it,
// accepted_gpu the GPU of the machine.

#include <filesystem>
#include <memory>

#include "compile/compile.h"
#include "judge/device.h"

namespace kata::test {

CompileRequest compile_request(const std::filesystem::path& source);

/// A new device. Throws std::runtime_error if there is no GPU.
std::unique_ptr<Device> open_device();

}  // namespace kata::test

#include "worker/emulator/emulator_device.h"

#include "accepted/device.h"

namespace kata::test {
namespace {

/// These tests do not need sector counts, which take half of the time.
class Uncounted : public EmulatorDevice {
 public:
  using EmulatorDevice::EmulatorDevice;
  void count_requests(bool) override {}
};

}  // namespace

CompileRequest compile_request(const std::filesystem::path& source) {
  return {.source = source};
}

std::unique_ptr<Device> open_device() {
  return std::make_unique<Uncounted>(emulator::Options{});
}

}  // namespace kata::test

#include <fmt/format.h>

#include <stdexcept>

#include "accepted/device.h"
#include "worker/gpu/gpu_device.h"

namespace kata::test {
namespace {

const cudaDeviceProp& properties() {
  static const Result<cudaDeviceProp> gpu = open_gpu();
  if (!gpu) throw std::runtime_error(gpu.error().message);
  return *gpu;
}

}  // namespace

CompileRequest compile_request(const std::filesystem::path& source) {
  return {.source = source,
          .backend = Backend::gpu,
          .compute_capability = fmt::format("{}.{}", properties().major, properties().minor)};
}

/// Without guard zones, which take half of a small case's time.
std::unique_ptr<Device> open_device() {
  return std::make_unique<GpuDevice>(properties(), false);
}

}  // namespace kata::test

// kata-worker-gpu: loads a module and runs it on the GPU. KATA_GUARD_ZONES=off in the environment
// leaves the guard zones out, for compute-sanitizer.
#include <cstdlib>
#include <string_view>

#include "worker/gpu/ceilings.h"
#include "worker/gpu/gpu_device.h"
#include "worker/gpu/profile.h"
#include "worker/gpu/time_kernels.h"
#include "worker/serve.h"

namespace {

using namespace kata;

Result<std::unique_ptr<Device>> open_device(const Job& job) {
  const Result<cudaDeviceProp> properties = open_gpu();
  if (!properties) return properties.error();
  const char* guard_zones = std::getenv("KATA_GUARD_ZONES");
  const bool off = guard_zones != nullptr && std::string_view(guard_zones) == "off";
  return std::unique_ptr<Device>(
      std::make_unique<GpuDevice>(*properties, !off, occupier(job.ceilings_module, *properties)));
}

Result<GpuInfo> probe() {
  const Result<cudaDeviceProp> properties = open_gpu();
  if (!properties) return properties.error();
  return GpuInfo{properties->name, properties->major, properties->minor};
}

}  // namespace

int main() {
  return serve(
      {.open_device = open_device, .time = time_kernels, .profile = profile, .probe = probe});
}

#include "grading/registers.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "report/hardware.h"

namespace fs = std::filesystem;

namespace kata {

std::map<fs::path, std::vector<KernelResources>> registers_of(const std::vector<fs::path>& sources,
                                                              const Chip& chip) {
  std::vector<std::vector<KernelResources>> found(sources.size());
  const auto ask = [&](std::size_t i) {
    if (auto kernels = kernel_resources(sources[i], chip.compute_capability))
      found[i] = std::move(*kernels);
  };
  if (sources.empty()) return {};
  ask(0);
  if (found[0].empty()) return {};
  std::atomic<std::size_t> next = 1;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < sources.size();) ask(i);
  };
  std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& thread : threads) thread = std::thread(work);
  for (std::thread& thread : threads) thread.join();

  std::map<fs::path, std::vector<KernelResources>> result;
  for (std::size_t i = 0; i < sources.size(); ++i) result[sources[i]] = std::move(found[i]);
  return result;
}

void set_registers(const std::vector<KernelResources>& kernels,
                   std::vector<LaunchProfile>& launches) {
  for (LaunchProfile& launch : launches) {
    const std::string name = plain_kernel_name(launch.counts.name);
    bool fits = false;  // has the shared memory that the launch has
    for (const KernelResources& kernel : kernels) {
      if (plain_kernel_name(kernel.kernel) != name) continue;
      const bool same = kernel.static_shared_bytes == launch.counts.shared_bytes;
      if (fits && !same) continue;
      const unsigned before = fits == same ? launch.registers : 0;
      launch.registers = std::max(before, kernel.registers);
      fits = same;
    }
  }
}

}  // namespace kata

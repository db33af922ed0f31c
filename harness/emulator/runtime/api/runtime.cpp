#include "emulator/runtime/api/runtime.h"

#include <map>
#include <utility>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/textures.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

Runtime& Runtime::instance() {
  static auto* runtime = new Runtime;
  return *runtime;
}

void configure(const Options& options) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.launching);
  runtime.options = options;
  DeviceMemory::instance().set_new_memory(options.checked ? ByteState::unwritten
                                                          : ByteState::written);
}

std::vector<Finding> take_findings() {
  return Findings::instance().take();
}

std::vector<Finding> findings_so_far() {
  return Findings::instance().so_far();
}

std::vector<KernelRecord> take_kernels() {
  return Findings::instance().take_kernels();
}

std::vector<LaunchProfile> take_profiles() {
  return Findings::instance().take_profiles();
}

void end_call() {
  check_end_of_call();
  StreamOrder::instance().host_waits_for_all();
}

bool take_order_matters() {
  return std::exchange(Runtime::instance().order_matters, false);
}

void mark_written(void* device_pointer, std::size_t bytes) {
  DeviceMemory::mark(reinterpret_cast<std::uintptr_t>(device_pointer), bytes, ByteState::written);
}

void make_input(void* device_pointer, std::size_t bytes) {
  DeviceMemory::mark(reinterpret_cast<std::uintptr_t>(device_pointer), bytes, ByteState::input);
}

void poison(void* device_pointer, int byte, std::size_t bytes) {
  DeviceMemory::instance().poison(device_pointer, byte, bytes);
}

void name_buffer(const void* device_pointer, const std::string& name) {
  DeviceMemory::instance().name(device_pointer, name);
}

std::vector<Leak> take_leaks() {
  std::map<std::pair<std::string, int>, Leak> of_line;  // each thread of a kernel may allocate
  const auto at = [&](const Place& place) -> Leak& {
    const SourceLine line = source_line(place);
    Leak& leak = of_line[{line.file, line.line}];
    leak.file = line.file;
    leak.line = line.line;
    return leak;
  };
  for (const Allocation& allocation : DeviceMemory::instance().forget_leaks())
    at(allocation.place).bytes += allocation.bytes;
  for (const Place& texture : forget_texture_leaks()) ++at(texture).textures;
  std::vector<Leak> leaks;
  for (auto& [line, leak] : of_line) leaks.push_back(std::move(leak));
  return leaks;
}

void recover() {
  Errors::instance().clear_sticky();
  Errors::instance().set_last(cudaSuccess);
}

}  // namespace kata::emulator

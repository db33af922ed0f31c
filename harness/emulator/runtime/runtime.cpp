#include "emulator/runtime/runtime.h"

#include <map>

#include "emulator/runtime/device_memory.h"
#include "emulator/runtime/errors.h"
#include "emulator/runtime/findings.h"
#include "emulator/runtime/locate.h"

namespace kata::emulator {

Runtime& Runtime::instance() {
  static auto* runtime = new Runtime;
  return *runtime;
}

void configure(const Options& options) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.launching);
  runtime.options = options;
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
  std::map<Place, std::size_t> bytes;  // of one line all: each thread of a kernel may allocate
  for (const Allocation& allocation : DeviceMemory::instance().forget_leaks())
    bytes[allocation.place] += allocation.bytes;
  std::vector<Leak> leaks;
  for (const auto& [place, leaked] : bytes) {
    const SourceLine line = source_line(place);
    leaks.push_back({leaked, line.file, line.line});
  }
  return leaks;
}

void recover() {
  Errors::instance().clear_sticky();
  Errors::instance().set_last(cudaSuccess);
}

}  // namespace kata::emulator

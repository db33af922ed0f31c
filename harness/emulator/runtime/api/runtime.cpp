#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/launch/host_copies.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/guards.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {

Runtime& Runtime::instance() {
  static auto* runtime = new Runtime;
  return *runtime;
}

void set_devices(int count) {
  const std::lock_guard lock(Runtime::instance().launching);
  set_device_count(count);
  DeviceMemory::instance().divide();
  StreamOrder::instance().divide();
}

void finish_launches() {
  Pending::instance().finish_all({"the end of the program", {}});
}

void configure(const Options& options) {
  finish_launches();
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.launching);
  if (options.machine_code != runtime.options.machine_code)
    runtime.machine_code =
        options.machine_code.empty() ? nullptr : MachineCode::of(options.machine_code);
  runtime.options = options;
  runtime.steps = 0;
  runtime.sampled = {};
  HostCopies::instance().want(options.host_copies);
  runtime.slow_from = std::chrono::steady_clock::now() +
                      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                          std::chrono::duration<double>(options.slow_after_s));
  const bool is_unwritten = options.checked && !options.others_write_zeros;
  DeviceMemory::instance().set_new_memory(is_unwritten ? ByteState::unwritten : ByteState::written);
}

std::vector<Finding> take_findings() {
  finish_launches();
  return Findings::instance().take();
}

std::vector<Finding> findings_so_far() {
  return Findings::instance().so_far();
}

std::vector<KernelRecord> take_kernels() {
  return Findings::instance().take_kernels();
}

std::uint64_t take_switches() {
  return Findings::instance().take_switches();
}

std::vector<LaunchProfile> take_profiles() {
  return Findings::instance().take_profiles();
}

Sample take_sample() {
  const Runtime::Sampled all = std::exchange(Runtime::instance().sampled, {});
  Sample sample = all.sample;
  sample.is_final = sample.is_whole && all.writers == 1 && !all.is_partial;
  sample.has_returned = !all.has_ended;
  sample.is_whole &= sample.has_returned;
  std::ranges::sort(sample.pages);
  return sample;
}

void repeat(void* device_pointer, std::size_t bytes, const void* pattern,
            std::size_t pattern_bytes) {
  repeat_pages(reinterpret_cast<std::uintptr_t>(device_pointer), bytes,
               {static_cast<const std::byte*>(pattern), pattern_bytes});
  mark_written(device_pointer, bytes);
}

void end_call() {
  finish_launches();
  // A call that ended where host code would need a result has not joined its streams.
  const Runtime& runtime = Runtime::instance();
  const bool knows_writes = runtime.options.checked && runtime.runs_all();
  if (!runtime.sampled.has_ended) knows_writes ? check_end_of_call() : check_streams_at_end();
  if (!runtime.options.checked) check_guards();
  StreamOrder::instance().host_waits_for_all();
}

void order_streams() {
  StreamOrder::instance().streams_wait_for_all();
}

bool take_ended_slow() {
  Runtime& runtime = Runtime::instance();
  if (runtime.ended_slow) runtime.sampled = {};
  return std::exchange(runtime.ended_slow, false);
}

bool take_order_matters() {
  return std::exchange(Runtime::instance().order_matters, false);
}

void mark_written(void* device_pointer, std::size_t bytes) {
  DeviceMemory::mark(reinterpret_cast<std::uintptr_t>(device_pointer), bytes, ByteState::written);
}

void mark_unwritten(void* device_pointer, std::size_t bytes) {
  DeviceMemory::mark(reinterpret_cast<std::uintptr_t>(device_pointer), bytes, ByteState::unwritten);
}

bool any_unwritten(const void* device_pointer, std::size_t bytes) {
  return DeviceMemory::first_unwritten(reinterpret_cast<std::uintptr_t>(device_pointer), bytes) <
         bytes;
}

void make_input(void* device_pointer, std::size_t bytes) {
  DeviceMemory::mark(reinterpret_cast<std::uintptr_t>(device_pointer), bytes, ByteState::input);
}

void poison(void* device_pointer, std::size_t bytes, std::uint32_t word) {
  DeviceMemory::instance().poison(device_pointer, bytes, word);
}

void name_buffer(const void* device_pointer, const std::string& name, const ElementType& elements) {
  DeviceMemory::instance().name(device_pointer, name, elements);
}

std::vector<Leak> take_leaks() {
  using Key = std::tuple<std::string, int, ObjectKind>;
  std::map<Key, std::size_t> counts;  // each thread of a kernel may allocate
  const auto at = [&](const Place& place, ObjectKind kind) -> std::size_t& {
    const SourceLine line = source_line(place);
    return counts[{line.file, line.line, kind}];
  };
  for (const Allocation& allocation : DeviceMemory::instance().forget_leaks())
    at(allocation.place, ObjectKind::memory) += allocation.bytes;
  for (const auto& [kind, place] : Objects::instance().forget_leaks()) ++at(place, kind);
  std::vector<Leak> leaks;
  for (const auto& [key, count] : counts) {
    const auto& [file, line, kind] = key;
    leaks.push_back({kind, count, file, line});
  }
  return leaks;
}

bool is_stack_overflow(const void* address) {
  return running.thread &&
         running.scheduler->fibers().is_guard(reinterpret_cast<std::uintptr_t>(address));
}

void end_at_stack_overflow(const void* code_address) {
  Scheduler& scheduler = *running.scheduler;
  const Place place{code_address, nullptr, 0};
  scheduler.abort(scheduler.incident(place, StackOverflow{}), cudaErrorHardwareStackError);
}

void recover() {
  Errors::instance().clear_sticky();
  Errors::instance().set_last(cudaSuccess);
}

}  // namespace kata::emulator

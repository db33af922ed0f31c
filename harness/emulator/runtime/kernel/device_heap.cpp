// malloc(), free(), new and delete as candidates call them: in a kernel they are of the device's
// heap, in host code the C++ library's.

#include <cstdlib>
#include <new>

#include "emulator/abi.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

void* allocate(std::size_t bytes, Place place) {
  forbid_repeats();
  return DeviceMemory::instance().allocate_on_heap(bytes, place);
}

void release(void* pointer, Place place) {
  forbid_repeats();
  if (!pointer || DeviceMemory::instance().release(pointer, true)) return;
  const InvalidFree fault{reinterpret_cast<std::uintptr_t>(pointer)};
  running.scheduler->abort(running.scheduler->incident(place, fault), cudaErrorLaunchFailure);
}

}  // namespace

void* __kata_heap_malloc(std::size_t bytes) {
  if (!running.thread) return std::malloc(bytes);
  return allocate(bytes, before(__builtin_return_address(0)));
}

void __kata_heap_free(void* pointer) {
  if (!running.thread) return std::free(pointer);
  release(pointer, before(__builtin_return_address(0)));
}

void* __kata_heap_new(std::size_t bytes) {
  if (!running.thread) return ::operator new(bytes);
  return allocate(bytes, before(__builtin_return_address(0)));
}

void __kata_heap_delete(void* pointer) {
  if (!running.thread) return ::operator delete(pointer);
  release(pointer, before(__builtin_return_address(0)));
}

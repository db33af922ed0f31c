#pragma once
// A launch that is kept to run later: a node of a graph, or what a kernel launched.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "emulator/abi.h"

namespace kata::emulator {

struct KeptLaunch {
  LaunchConfig config{};
  void (*call)(void*) = nullptr;
  std::shared_ptr<std::byte> closure;  ///< a copy: the arguments as they were
  std::uint64_t order = 0;             ///< of the block that launched it
  unsigned thread = 0;

  KeptLaunch() = default;
  KeptLaunch(const LaunchConfig& launch, void (*function)(void*), const void* arguments)
      : config(launch), call(function), closure(copy_of(arguments, launch.closure_bytes)) {}

 private:
  static std::shared_ptr<std::byte> copy_of(const void* closure, std::size_t bytes) {
    constexpr std::align_val_t alignment{256};  // more than any type of an argument asks for
    auto* copy = static_cast<std::byte*>(::operator new(bytes, alignment));
    std::memcpy(copy, closure, bytes);
    return {copy, [](std::byte* memory) { ::operator delete(memory, alignment); }};
  }
};

}  // namespace kata::emulator

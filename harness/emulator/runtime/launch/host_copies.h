#pragma once
// What modules copy between device memory and memory of the host, and what their host code reads
// and writes of memory that both use.

#include <atomic>
#include <mutex>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

class HostCopies {
 public:
  static HostCopies& instance();

  /// Nothing is added unless they are wanted.
  void want(bool wanted) { wanted_ = wanted; }
  /// Byte after byte, at one place in the candidate, is one copy.
  void add(const void* device, std::size_t bytes, CopyDirection direction, const Place& place);
  std::vector<HostCopy> take();

 private:
  struct Copied {
    HostCopy copy;
    Place place;
  };
  std::atomic<bool> wanted_ = false;
  std::mutex mutex_;
  std::vector<Copied> copies_;
};

}  // namespace kata::emulator

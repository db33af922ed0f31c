#pragma once
// What modules copy between device memory and memory of the host.

#include <mutex>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

class HostCopies {
 public:
  static HostCopies& instance();

  void add(const void* device, std::size_t bytes, CopyDirection direction, const Place& place);
  std::vector<HostCopy> take();

 private:
  struct Copied {
    HostCopy copy;
    Place place;
  };
  std::mutex mutex_;
  std::vector<Copied> copies_;
};

}  // namespace kata::emulator

#pragma once
// Handles of what a program creates and has to destroy, with the place that created each.

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

class Objects {
 public:
  static Objects& instance();

  void add(std::uint64_t handle, ObjectKind kind, const Place& place);
  void add(const void* handle, ObjectKind kind, const Place& place) {
    add(reinterpret_cast<std::uintptr_t>(handle), kind, place);
  }
  /// False if there is no such object (any more).
  bool remove(std::uint64_t handle, ObjectKind kind);
  bool remove(const void* handle, ObjectKind kind) {
    return remove(reinterpret_cast<std::uintptr_t>(handle), kind);
  }
  bool has(const void* handle, ObjectKind kind) const;
  /// As a reset of the device does it: what was made while it was current is gone.
  void clear(int device);

  /// What was never destroyed and what no static variable holds. Each is returned once.
  std::vector<std::pair<ObjectKind, Place>> forget_leaks();

 private:
  struct Object {
    ObjectKind kind;
    Place place;
    int device;
    bool told = false;  ///< as a leak
  };
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Object> objects_;
};

}  // namespace kata::emulator

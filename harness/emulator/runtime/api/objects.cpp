#include "emulator/runtime/api/objects.h"

#include <algorithm>

#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

Objects& Objects::instance() {
  static auto* objects = new Objects;  // never destroyed, as device memory
  return *objects;
}

void Objects::add(std::uint64_t handle, ObjectKind kind, const Place& place) {
  const std::lock_guard lock(mutex_);
  objects_[handle] = {kind, place, current_device()};
}

bool Objects::remove(std::uint64_t handle, ObjectKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(handle);
  if (found == objects_.end() || found->second.kind != kind) return false;
  objects_.erase(found);
  return true;
}

bool Objects::has(const void* handle, ObjectKind kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
  return found != objects_.end() && found->second.kind == kind;
}

void Objects::clear(int device) {
  const std::lock_guard lock(mutex_);
  std::erase_if(objects_, [&](const auto& entry) { return entry.second.device == device; });
}

std::vector<std::pair<ObjectKind, Place>> Objects::forget_leaks() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<ObjectKind, Place>> leaks;
  if (objects_.empty()) return leaks;
  const std::vector<std::uintptr_t> held =
      held_by_variables({objects_.begin()->first, objects_.rbegin()->first + 1});
  for (auto& [handle, object] : objects_) {
    if (object.told || std::binary_search(held.begin(), held.end(), handle)) continue;
    object.told = true;
    leaks.emplace_back(object.kind, object.place);
  }
  return leaks;
}

}  // namespace kata::emulator

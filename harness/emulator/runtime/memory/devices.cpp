#include "emulator/runtime/memory/devices.h"

#include <utility>

namespace kata::emulator {
namespace {

int number_of_devices = 1;
thread_local int chosen_device = 0;

}  // namespace

int device_count() {
  return number_of_devices;
}

void set_device_count(int count) {
  number_of_devices = count;
}

bool is_device(int number) {
  return number >= 0 && number < number_of_devices;
}

int current_device() {
  return chosen_device;
}

void set_current_device(int device) {
  chosen_device = device;
}

std::string on_device(int device) {
  return number_of_devices > 1 ? " on device " + std::to_string(device) : "";
}

PeerAccess& PeerAccess::instance() {
  static auto* access = new PeerAccess;  // never destroyed, as device memory
  return *access;
}

bool PeerAccess::enable(int device, int peer, const Place& place) {
  const std::lock_guard lock(mutex_);
  auto& one = enabled_[device][peer];
  if (one) return false;
  one = place;
  return true;
}

bool PeerAccess::disable(int device, int peer) {
  const std::lock_guard lock(mutex_);
  return std::exchange(enabled_[device][peer], std::nullopt).has_value();
}

void PeerAccess::forget(int device) {
  const std::lock_guard lock(mutex_);
  for (int other = 0; other < most_devices; ++other)
    enabled_[device][other] = enabled_[other][device] = std::nullopt;
}

std::optional<Place> PeerAccess::enabled(int device, int peer) const {
  const std::lock_guard lock(mutex_);
  return enabled_[device][peer];
}

}  // namespace kata::emulator

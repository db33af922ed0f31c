#pragma once
// The devices: how many there are, which one an OS thread works with, and which of them may reach
// the memory of which.

#include <mutex>
#include <optional>
#include <string>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

inline constexpr int most_devices = 8;

int device_count();
/// 1 to most_devices. DeviceMemory and StreamOrder have to be divided anew.
void set_device_count(int count);
bool is_device(int number);

/// Of this OS thread: at first device 0. What it allocates, creates and launches is there.
int current_device();
void set_current_device(int device);

/// A device is current for as long as this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) { set_current_device(device); }
  ~OnDevice() { set_current_device(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = current_device();
};

/// " on device 1" where there are several; else empty.
std::string on_device(int device);

/// Which devices cudaDeviceEnablePeerAccess has let reach the memory of others, one way each.
class PeerAccess {
 public:
  static PeerAccess& instance();

  /// False: it is enabled already.
  bool enable(int device, int peer, const Place& place);
  /// False: it is not enabled.
  bool disable(int device, int peer);
  /// As a reset of the device does it: in both directions.
  void forget(int device);
  /// Where it was enabled; nothing if it is not.
  std::optional<Place> enabled(int device, int peer) const;

 private:
  mutable std::mutex mutex_;
  std::optional<Place> enabled_[most_devices][most_devices];
};

}  // namespace kata::emulator

// Access of devices to each other's memory. Any device can enable it to any other, as on a host
// with NVSwitch. Errors and attributes as two H200s gave them (tests/gpu/devices).

#include <fmt/format.h>

#include "emulator/runtime/api/devices.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/devices.h"

using namespace kata::emulator;

namespace {

/// Of a call about two devices. `no_peer`: the error where they are one.
cudaError_t check_pair(int device, int peer, cudaError_t no_peer, const char* function,
                       Place place) {
  if (const cudaError_t error = check_devices(device, peer, function, place)) return error;
  if (device != peer) return cudaSuccess;
  return fail(no_peer, function, fmt::format("device {} is no peer of its own", device), place);
}

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  const char* const function = "cudaDeviceCanAccessPeer";
  if (!can)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null",
                KATA_CALLER());
  if (const cudaError_t error = check_devices(device, peer, function, KATA_CALLER())) return error;
  *can = device != peer;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const char* const function = "cudaDeviceEnablePeerAccess";
  const Place place = KATA_CALLER();
  KATA_RETURN_STICKY();
  const int device = current_device();
  if (flags != 0) return fail(cudaErrorInvalidValue, function, "the flags must be 0", place);
  if (const cudaError_t error =
          check_pair(device, peer, cudaErrorPeerAccessUnsupported, function, place))
    return error;
  if (PeerAccess::instance().enable(device, peer, place)) return cudaSuccess;
  const auto before = PeerAccess::instance().enabled(device, peer);
  // Programs expect it, but often leave it for the next cudaGetLastError() to return.
  return fail(
      cudaErrorPeerAccessAlreadyEnabled, function,
      fmt::format(
          "device {} already has access to device {} ({}); cudaGetLastError() clears the error",
          device, peer, line_name(*before, place)),
      place, Severity::warning);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const char* const function = "cudaDeviceDisablePeerAccess";
  const int device = current_device();
  if (const cudaError_t error = check_device(peer, function, KATA_CALLER())) return error;
  if (PeerAccess::instance().disable(device, peer)) return cudaSuccess;
  return fail(cudaErrorPeerAccessNotEnabled, function,
              fmt::format("device {} has no access to device {} that could end", device, peer),
              KATA_CALLER());
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int device, int peer) {
  const char* const function = "cudaDeviceGetP2PAttribute";
  if (const cudaError_t error =
          check_pair(device, peer, cudaErrorInvalidDevice, function, KATA_CALLER()))
    return error;
  if (!value || which < cudaDevP2PAttrPerformanceRank ||
      which > cudaDevP2PAttrOnlyPartialNativeAtomicSupported) {
    return fail(cudaErrorInvalidValue, function,
                fmt::format("the emulator does not know attribute {}", static_cast<int>(which)),
                KATA_CALLER());
  }
  // As NVLink has it.
  *value = which != cudaDevP2PAttrPerformanceRank &&
           which != cudaDevP2PAttrOnlyPartialNativeAtomicSupported;
  return cudaSuccess;
}

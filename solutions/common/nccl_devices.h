#pragma once
// Communicators of NCCL for the first devices of this process.

#include <nccl.h>

struct NcclDevices {
  ncclComm_t communicators[8];
};

/// Made at the first call with so many devices, and kept.
inline const NcclDevices& nccl_devices(int gpus) {
  static NcclDevices made[9] = {};
  if (!made[gpus].communicators[0]) ncclCommInitAll(made[gpus].communicators, gpus, nullptr);
  return made[gpus];
}

#pragma once
// The chips that a time can be estimated for: rates from their datasheets (chips.json).

#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

/// What a multiprocessor has room for, by compute capability: CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability".
struct Residency {
  unsigned threads = 0, blocks = 0;
  unsigned shared_bytes = 0;           ///< for all blocks
  unsigned reserved_shared_bytes = 0;  ///< by the system, in each block
  unsigned registers = 65536;
};

struct Chip {
  std::string id;    ///< "h200": what --chip takes
  std::string name;  ///< "H200"
  unsigned multiprocessors = 0;
  double clock_hz = 0;       ///< boost
  double fma_per_clock = 0;  ///< of a multiprocessor, FP32
  double memory_bytes_per_s = 0;
  double l2_bytes = 0;
  double l1_bytes = 0;  ///< of a multiprocessor, shared memory included
  Residency residency;
};

/// "h200", "a100", ... in the order of the file.
std::vector<std::string> chip_names();

/// An Error that names the chips that are known, or says what is wrong with the file.
Result<Chip> find_chip(const std::string& id);

/// The chip whose name a device has in its own: "H200" of "NVIDIA H200".
Result<Chip> find_chip_of(const std::string& device);

}  // namespace kata

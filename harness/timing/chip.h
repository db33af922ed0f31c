#pragma once
// The chips that a time can be estimated for: rates from their datasheets (chips.json).

#include <string>
#include <vector>

#include "problems/spec/arithmetic_unit.h"
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

/// Operations per second of all tensor cores by what they multiply, of dense matrices, added up in
/// float, or in int where they multiply bytes. 0: they do not multiply that.
struct TensorRates {
  double f16 = 0, bf16 = 0, tf32 = 0, f8 = 0, i8 = 0;
  double mma_sync_share = 1;  ///< of these rates: what mma.sync and wmma reach
};

/// What no datasheet has. Fitted by hand on an NVIDIA H200, from 2026-11-21 on, to
/// solutions/*/times.csv, one for each effect; other chips take them over. docs/estimate.md says
/// what comes out where they are fitted to other operators than the one that is estimated.
struct Fitted {
  double l2_latency_s = 420e-9, memory_latency_s = 620e-9;  ///< loaded, not idle
  double atomic_latency_s = 350e-9;
  double block_overhead_s = 150e-9;  ///< to start and to end
  double call_overhead_s = 5e-6;     ///< the first launch, from event to event
  double next_launch_s = 1e-6;
  double written_byte = 0.1;              ///< of device memory, in bytes read: so many more
  double written_byte_of_one_wave = 0.3;  ///< where all blocks stay from start to end
  double l2_bytes_per_clock = 27;         ///< of a multiprocessor
  double partial_store_cost = 1.4;        ///< sectors more for one that is filled in part
  double float_atomic_s = 1.75e-9;        ///< a sum on one address, after another
  double atomic_s = 0.74e-9;              ///< the same of integers, and compare-and-swap
  double request_instructions = 2;        ///< the request and its address
  double wavefront_latency = 2;           ///< clocks for each one more of a shared load
  double norm = 2.5;                      ///< p: how far limiters overlap
};

struct Chip {
  std::string id;                       ///< "h200": what --chip takes
  std::string name;                     ///< "H200"
  std::string compute_capability = {};  ///< "9.0"
  unsigned multiprocessors = 0;
  double clock_hz = 0;       ///< boost
  double fma_per_clock = 0;  ///< of a multiprocessor, FP32
  TensorRates tensor = {};
  double memory_bytes_per_s = 0;
  double l2_bytes = 0;
  double l1_bytes = 0;  ///< of a multiprocessor, shared memory included
  Residency residency;
  Fitted fitted = {};
};

/// The peak of that unit, a multiply-add as two; 0 where the chip has no such tensor cores.
double operations_per_s(const Chip& chip, ArithmeticUnit unit);

/// "h200", "a100", ... in the order of the file.
std::vector<std::string> chip_names();

/// An Error that names the chips that are known, or says what is wrong with the file.
Result<Chip> find_chip(const std::string& id);

/// The chip whose name a device has in its own: "H200" of "NVIDIA H200".
Result<Chip> find_chip_of(const std::string& device);

}  // namespace kata

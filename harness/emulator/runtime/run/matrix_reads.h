#pragma once
// What wgmmas have read of a block's shared memory, once a thread has waited for them: a copy that
// writes there has to come after the wait of one thread of their warpgroup.

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/async_reads.h"

namespace kata::emulator {

class MatrixReads {
 public:
  struct Read {
    const void* code;                    ///< the address that the wgmma returns to
    std::vector<std::uint64_t> waits{};  ///< of threads, each as `who` of a mark
  };

  /// Of a new block: none.
  void begin() { reads_.clear(); }
  /// The first thread has waited for it.
  void add(const AsyncRead& read, unsigned warpgroup);
  /// This thread, too; `number` is the read's.
  void add_wait(std::uint64_t number, std::uint64_t who);
  /// f with each warpgroup's last read of the 16 bytes at `address`, and its number; then those are
  /// forgotten.
  template <class F>
  void take(std::uintptr_t address, const F& f) {
    if (reads_.empty()) return;
    for (std::vector<std::uint64_t>& cells : cells_) {
      if (cells.empty()) continue;
      const std::uint64_t number = std::exchange(cells[cell_of(address)], 0);
      const auto read = reads_.find(number);
      if (read != reads_.end()) f(read->second, number);
    }
  }

 private:
  static constexpr std::size_t kept = 256;
  static std::size_t cell_of(std::uintptr_t address) { return address % shared_span / 16; }

  std::map<std::uint64_t, Read> reads_;                ///< by number, the latest
  std::array<std::vector<std::uint64_t>, 8> cells_{};  ///< by warpgroup: numbers, of each 16 bytes
};

}  // namespace kata::emulator

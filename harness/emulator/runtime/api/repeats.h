#pragma once
// Launches that repeat an earlier one: the same kernel, with the same arguments, on memory that
// holds the same bytes. Such a launch leaves what the earlier one left, so that is copied instead.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/api/copies.h"
#include "emulator/runtime/launch/launch.h"
#include "emulator/runtime/memory/device_memory.h"

namespace kata::emulator {

class Repeats {
 public:
  static Repeats& instance();

  /// True: memory holds what this launch would leave, and it need not run.
  bool take(const Launch& launch);
  /// It has run: notes what it has left.
  void keep(const Launch& launch);
  std::uint64_t taken() const { return taken_; }

  /// Whether this memory holds that fill already: the last one was the same, and nothing has
  /// written there since. Benchmarks flush the cache in this way before each launch.
  bool holds(const void* low, const Fill& fill);
  void note_fill(const void* low, const Fill& fill);

 private:
  /// A buffer of device memory, and hashes of its bytes and of which of them are written.
  struct Buffer {
    std::uintptr_t low = 0;
    std::size_t bytes = 0;
    std::uint64_t content = 0, states = 0;
  };
  struct Change {
    std::uintptr_t low;
    std::uint64_t hash;
    std::vector<std::byte> content;
  };
  /// Of launches of one kernel.
  struct History {
    std::uint64_t launches = 0;
    std::uint64_t cost = 0;    ///< of the last one that ran: its accesses, roughly
    std::uint64_t misses = 0;  ///< launches in a row that repeated none
    std::uint64_t wait = 0;    ///< launches that are not compared
  };
  /// A launch that runs now: what it began with.
  struct Begun {
    std::string key;
    std::vector<Buffer> buffers;
  };

  struct Filled {
    std::size_t bytes;
    unsigned value, element;
    bool operator==(const Filled&) const = default;
  };

  void forget_written();
  std::uint64_t bytes_to_hash(const std::vector<Allocation>& all) const;
  std::vector<Buffer> hash_of_all(const std::vector<Allocation>& all);
  static std::string key_of(const Launch& launch, const std::vector<Buffer>& buffers);

  std::mutex mutex_;  ///< host threads may fill memory while another one launches
  std::map<std::uintptr_t, Buffer> current_;  ///< hashes of what has not been written since
  std::map<std::uintptr_t, Filled> filled_;   ///< the same of fills
  std::map<const void*, History> histories_;
  std::map<std::string, std::vector<Change>> known_;
  std::size_t bytes_kept_ = 0;
  std::uint64_t taken_ = 0;
  std::optional<Begun> begun_;
};

}  // namespace kata::emulator

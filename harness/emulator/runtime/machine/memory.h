#pragma once
// Device memory as machine code sees it: what it writes is kept apart, and gone with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator::machine {

/// Machine code that this cannot run, or that does what a device would refuse.
struct Unsupported {
  std::string what;
};

/// How what the machine code wrote compares with what the launch has left, by words of 4 bytes.
struct Differences {
  std::uint64_t changed = 0;    ///< by either
  std::uint64_t elsewhere = 0;  ///< by one of them alone
  std::uint64_t integers = 0;   ///< changed by both: small ones, which no floats look like
  std::uint64_t unequal = 0;    ///< of these
};

class Overlay {
 public:
  /// A page that the system lends a cooperative launch for its barrier.
  static constexpr std::uint64_t workspace = std::uint64_t{1} << 48;

  AddressRange variables;  ///< of the module, beside the arena

  Overlay() { copies_.emplace(workspace / page_bytes, std::make_unique<Page>()); }

  std::byte* at(std::uint64_t address, unsigned bytes, bool is_written) {
    const std::uint64_t number = address / page_bytes;
    Known& known = recent_[number % recent_.size()];
    if (known.number != number || (is_written && !known.is_copy)) [[unlikely]]
      look_up(known, number, is_written);
    if (address % bytes != 0 || !is_allocated(address)) throw Unsupported{"an invalid address"};
    return known.page + address % page_bytes;
  }

  /// When the launch itself has run. `all`: this is of all its blocks.
  Differences differences(bool all) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Bytes = std::array<std::byte, page_bytes>;
  struct Page {
    Bytes now{}, before{};
  };
  struct Known {
    std::uint64_t number = ~std::uint64_t{0};
    std::byte* page = nullptr;
    bool is_copy = false;
  };

  bool is_allocated(std::uint64_t address) const {
    return in_arena(reinterpret_cast<const void*>(address))
               ? *state_of(address - arena_low) != 0
               : variables.contains(address) || address / page_bytes == workspace / page_bytes;
  }

  void look_up(Known& known, std::uint64_t number, bool is_written) {
    auto* const original = reinterpret_cast<std::byte*>(number * page_bytes);
    auto found = copies_.find(number);
    if (found == copies_.end() && !in_arena(original) && !variables.contains(number * page_bytes) &&
        !variables.contains((number + 1) * page_bytes - 1))
      throw Unsupported{"an invalid address"};
    if (found == copies_.end() && is_written) {
      found = copies_.emplace(number, std::make_unique<Page>()).first;
      std::memcpy(found->second->before.data(), original, page_bytes);
      found->second->now = found->second->before;
    }
    const bool is_copy = found != copies_.end();
    known = {number, is_copy ? found->second->now.data() : original, is_copy};
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> copies_;
  std::array<Known, 1024> recent_{};
};

}  // namespace kata::emulator::machine

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

class Overlay {
 public:
  AddressRange variables;  ///< of the module, beside the arena

  std::byte* at(std::uint64_t address, unsigned bytes, bool is_written) {
    const std::uint64_t number = address / page_bytes;
    Known& known = recent_[number % recent_.size()];
    if (known.number != number || (is_written && !known.is_copy)) [[unlikely]]
      look_up(known, number, is_written);
    if (address % bytes != 0 || !is_allocated(address)) throw Unsupported{"an invalid address"};
    return known.page + address % page_bytes;
  }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Page = std::array<std::byte, page_bytes>;
  struct Known {
    std::uint64_t number = ~std::uint64_t{0};
    std::byte* page = nullptr;
    bool is_copy = false;
  };

  bool is_allocated(std::uint64_t address) const {
    return in_arena(reinterpret_cast<const void*>(address)) ? *state_of(address - arena_low) != 0
                                                            : variables.contains(address);
  }

  void look_up(Known& known, std::uint64_t number, bool is_written) {
    auto* const original = reinterpret_cast<std::byte*>(number * page_bytes);
    if (!in_arena(original) && !variables.contains(number * page_bytes) &&
        !variables.contains((number + 1) * page_bytes - 1))
      throw Unsupported{"an invalid address"};
    auto found = copies_.find(number);
    if (found == copies_.end() && is_written) {
      found = copies_.emplace(number, std::make_unique<Page>()).first;
      std::memcpy(found->second->data(), original, page_bytes);
    }
    const bool is_copy = found != copies_.end();
    known = {number, is_copy ? found->second->data() : original, is_copy};
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> copies_;
  std::array<Known, 1024> recent_{};
};

}  // namespace kata::emulator::machine

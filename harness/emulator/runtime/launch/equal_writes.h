#pragma once
// Writes of equal values by the lanes of one instruction, which are no race.

#include <cstdint>
#include <vector>

#include "emulator/runtime/launch/incident.h"

namespace kata::emulator {

/// What two lanes write with one instruction races only if the values differ, which shows once the
/// second has written: kept until then.
class EqualWrites {
 public:
  /// `address`: of the word. Those of another thread are settled first.
  void add(const Incident& race, std::uintptr_t address, IncidentLog& log);
  void settle(IncidentLog& log);
  bool empty() const { return writes_.empty(); }
  void clear() { writes_.clear(); }

 private:
  struct Write {
    Incident race;
    std::uintptr_t address;
    std::uint32_t before;  ///< what the first wrote
  };
  std::vector<Write> writes_;
};

}  // namespace kata::emulator

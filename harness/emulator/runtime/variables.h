#pragma once
// What races on a module's __device__ variables are found by: a shadow for each of their words.

#include <cstdint>

#include "emulator/runtime/locate.h"
#include "emulator/runtime/races.h"

namespace kata::emulator {

class VariableShadows {
 public:
  VariableShadows() = default;
  VariableShadows(const VariableShadows&) = delete;
  VariableShadows& operator=(const VariableShadows&) = delete;
  ~VariableShadows();

  /// Those of the module whose launches come next: nobody has touched any.
  void begin(const AddressRange& variables);
  /// Before a launch: the numbers of blocks may have begun anew.
  void prepare();

  bool contain(std::uintptr_t address) const { return variables_.contains(address); }
  Shadow& of(std::uintptr_t address) const { return shadows_[(address - variables_.low) / 4]; }

 private:
  std::size_t bytes() const { return (variables_.high - variables_.low + 4) * shadow_per_byte; }

  AddressRange variables_;
  Shadow* shadows_ = nullptr;
  unsigned number_round_ = 0;
};

}  // namespace kata::emulator

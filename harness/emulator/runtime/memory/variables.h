#pragma once
// A module's __device__ and __constant__ variables: where each of them ends, and what races on the
// former are found by, a shadow for each of their words.

#include <cstdint>
#include <optional>

#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

class ModuleVariables {
 public:
  ModuleVariables() = default;
  ModuleVariables(const ModuleVariables&) = delete;
  ModuleVariables& operator=(const ModuleVariables&) = delete;
  ~ModuleVariables();

  /// Those of the module that code or a variable at this address belongs to: untouched, if it is
  /// another one than before.
  static ModuleVariables& beside(const void* address);
  const AddressRange& module() const { return module_; }
  /// All of them, with what lies between.
  const AddressRange& variables() const { return variables_; }

  const std::vector<AddressRange>& constants() const { return places_.constants; }
  bool is_constant(std::uintptr_t address) const;
  /// The nearest variable to an access that lies in none, or only in part; nothing where none is
  /// missed.
  std::optional<AddressRange> left(std::uintptr_t address, unsigned size) const;

  bool contain(std::uintptr_t address) const { return variables_.contains(address); }
  Shadow& of(std::uintptr_t address) const { return shadows_[(address - variables_.low) / 4]; }

 private:
  void begin(const void* address);
  std::size_t bytes() const { return (variables_.high - variables_.low + 4) * shadow_per_byte; }

  AddressRange module_, variables_;
  VariablePlaces places_;
  Shadow* shadows_ = nullptr;
  unsigned number_round_ = 0;
};

}  // namespace kata::emulator

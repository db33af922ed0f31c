#pragma once
// A module's __device__ and __constant__ variables: where each of them ends, what races on the
// former are found by, a shadow for each of their words, and what each device holds in them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

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

  /// A kernel or a copy of that device comes to the variable at the address. The module has one
  /// place for it: its content is the device's own from now on, until another one comes.
  void use(std::uintptr_t address, int device, bool is_write);

  bool contain(std::uintptr_t address) const { return variables_.contains(address); }
  Shadow& of(std::uintptr_t address) const { return shadows_[(address - variables_.low) / 4]; }

 private:
  using Places = std::vector<AddressRange>;
  /// Of the first variable that begins behind the address.
  Places::const_iterator behind(std::uintptr_t address) const;
  void begin(const void* address);
  std::size_t bytes() const { return (variables_.high - variables_.low + 4) * shadow_per_byte; }

  AddressRange module_, variables_;
  VariablePlaces places_;
  Shadow* shadows_ = nullptr;
  unsigned number_round_ = 0;

  /// A variable that has been written.
  struct Contents {
    int device;  ///< whose the module holds
    std::vector<std::byte> at_first;
    std::map<int, std::vector<std::byte>> others;  ///< of other devices that have used it
  };
  std::mutex mutex_;
  std::map<std::uintptr_t, Contents> contents_;  ///< where there are several devices
};

}  // namespace kata::emulator

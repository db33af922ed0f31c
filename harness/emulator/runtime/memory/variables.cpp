#include "emulator/runtime/memory/variables.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace kata::emulator {

ModuleVariables::~ModuleVariables() {
  if (shadows_) munmap(shadows_, bytes());
}

ModuleVariables& ModuleVariables::beside(const void* address) {
  static ModuleVariables variables;
  if (!variables.module_.contains(reinterpret_cast<std::uintptr_t>(address)))
    variables.begin(address);
  if (variables.number_round_ != number_rounds())  // the numbers of blocks have begun again
    madvise(variables.shadows_, variables.bytes(), MADV_DONTNEED);
  variables.number_round_ = number_rounds();
  return variables;
}

void ModuleVariables::begin(const void* address) {
  if (shadows_) munmap(shadows_, bytes());
  module_ = module_of(address);
  places_ = variable_places_of(address);
  variables_ = variables_of(address);
  variables_.low &= ~std::uintptr_t{3};
  void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shadows_ = static_cast<Shadow*>(memory);
}

bool ModuleVariables::is_constant(std::uintptr_t address) const {
  return std::any_of(places_.constants.begin(), places_.constants.end(),
                     [&](const AddressRange& range) { return range.contains(address); });
}

std::optional<AddressRange> ModuleVariables::left(std::uintptr_t address, unsigned size) const {
  const auto& all = places_.variables;
  const auto behind = std::upper_bound(
      all.begin(), all.end(), address,
      [](std::uintptr_t low, const AddressRange& range) { return low < range.low; });
  if (behind != all.begin() && address + size <= std::prev(behind)->high) return {};
  const bool in_gap =
      std::any_of(places_.sections.begin(), places_.sections.end(),
                  [&](const AddressRange& range) { return range.contains(address); });
  const bool beside = !places_.sections.empty() && variables_.contains(address);
  if (!in_gap && !beside) return {};  // a literal, which has no symbol
  if (behind == all.begin()) return *behind;
  const AddressRange& before = *std::prev(behind);
  return behind == all.end() || address - before.high < behind->low - address ? before : *behind;
}

}  // namespace kata::emulator

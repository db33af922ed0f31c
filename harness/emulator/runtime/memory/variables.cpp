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

ModuleVariables::Places::const_iterator ModuleVariables::behind(std::uintptr_t address) const {
  const Places& all = places_.variables;
  return std::upper_bound(
      all.begin(), all.end(), address,
      [](std::uintptr_t low, const AddressRange& range) { return low < range.low; });
}

void ModuleVariables::use(std::uintptr_t address, int device, bool is_write) {
  const auto next = behind(address);
  if (next == places_.variables.begin() || !std::prev(next)->contains(address)) return;
  const AddressRange& variable = *std::prev(next);
  auto* const data = reinterpret_cast<std::byte*>(variable.low);
  const auto content = [&] { return std::vector(data, data + (variable.high - variable.low)); };
  const std::lock_guard lock(mutex_);
  const auto known = contents_.find(variable.low);
  if (known == contents_.end()) {
    if (is_write) contents_[variable.low] = {device, content(), {}};
    return;
  }
  Contents& contents = known->second;
  if (contents.device == device) return;
  contents.others[contents.device] = content();
  const auto own = contents.others.find(device);
  const auto& now = own == contents.others.end() ? contents.at_first : own->second;
  std::copy(now.begin(), now.end(), data);
  contents.device = device;
  for (std::uintptr_t word = variable.low & ~std::uintptr_t{3}; word < variable.high; word += 4)
    of(word) = {};
}

std::optional<AddressRange> ModuleVariables::left(std::uintptr_t address, unsigned size) const {
  const Places& all = places_.variables;
  const auto behind = this->behind(address);
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

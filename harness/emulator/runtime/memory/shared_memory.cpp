#include "emulator/runtime/memory/shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/padding.h"
#include "emulator/runtime/memory/round_up.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {
namespace {

constexpr std::size_t least_redzone = 256;
constexpr std::size_t mapped = (3 + shadow_per_byte) * shared_span;

}  // namespace

bool SharedLayout::place(SharedSlot& slot, unsigned launch) {
  const std::lock_guard lock(mutex_);
  if (__atomic_load_n(&slot.launch, __ATOMIC_ACQUIRE) == launch) return true;
  const auto placed = std::ranges::find(variables_, &slot, &Variable::slot);
  if (placed != variables_.end()) {
    slot.offset = static_cast<unsigned>(placed->offset);
    __atomic_store_n(&slot.launch, launch, __ATOMIC_RELEASE);
    return true;
  }
  // As late before a multiple of its size as its alignment allows: who flips between its halves by
  // an XOR on the address falls out of it. On a device, too, the linker promises no more.
  const std::size_t align = std::max<std::size_t>(128, slot.align);
  const std::size_t span = std::max(align, std::bit_ceil(slot.size));
  const std::size_t offset = round_up(top_ + align, span) - align;
  const std::size_t redzone = std::max(least_redzone, round_up(slot.size / 2, 128));
  if (offset + slot.size + redzone > dynamic_offset) return false;
  variables_.push_back({offset, slot.size, slot.name, slot.line, slot.padding, &slot});
  top_ = offset + slot.size + redzone;
  static_bytes_ = round_up(static_bytes_, std::max<std::size_t>(1, slot.align)) + slot.size;
  slot.offset = static_cast<unsigned>(offset);
  __atomic_store_n(&slot.launch, launch, __ATOMIC_RELEASE);
  return true;
}

std::vector<SharedLayout::Variable> SharedLayout::variables() const {
  const std::lock_guard lock(mutex_);
  return variables_;
}

void SharedLayout::set_dynamic_padding(const Padding& padding) {
  const std::lock_guard lock(mutex_);
  dynamic_padding_ = padding;
}

bool SharedLayout::is_padding(std::size_t offset, const std::uint8_t* state, unsigned size) const {
  const std::lock_guard lock(mutex_);
  std::size_t low = dynamic_offset;
  Padding padding = dynamic_padding_;
  for (const Variable& variable : variables_) {
    if (offset - variable.offset >= variable.size) continue;
    low = variable.offset;
    padding = variable.padding;
  }
  for (unsigned i = 0; i < size; ++i) {
    if (state[i] == unwritten && !emulator::is_padding(padding, offset + i - low)) return false;
  }
  return true;
}

std::size_t SharedLayout::static_bytes() const {
  const std::lock_guard lock(mutex_);
  return static_bytes_;
}

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, mapped + shared_span, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Its first multiple of the span: what offsets say of alignment holds for addresses.
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  low_ = round_up(begin, shared_span);
  if (low_ > begin) munmap(memory, low_ - begin);
  munmap(reinterpret_cast<void*>(low_ + mapped), begin + shared_span - low_);
}

SharedMemory::~SharedMemory() {
  munmap(reinterpret_cast<void*>(low_), mapped);
}

std::uint8_t* SharedMemory::state(std::size_t offset) const {
  return reinterpret_cast<std::uint8_t*>(low_ + shared_span + offset);
}

void SharedMemory::forbid(std::size_t offset, std::size_t bytes) {
  // Also a fill of nothing costs a lot where the page has never been touched.
  if (bytes == 0) return;
  std::memset(state(offset), absent, bytes);
  std::memset(shared_stamp(low_ + offset), 0, round_up(bytes, sizeof(ReadStamp)));
}

void SharedMemory::allow(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  std::memset(state(offset), unwritten, bytes);
  // Never written, it reads as NaN: the same in every run.
  std::memset(reinterpret_cast<void*>(low_ + offset), 0xff, bytes);
}

void SharedMemory::prepare(const SharedLayout& layout, std::size_t dynamic_bytes) {
  if (number_round_ != number_rounds()) {
    madvise(reinterpret_cast<void*>(low_ + 2 * shared_span), shadow_per_byte * shared_span,
            MADV_DONTNEED);
    number_round_ = number_rounds();
  }
  forbid(static_offset, static_high_ - static_offset);
  forbid(dynamic_offset, dynamic_used_);
  variables_ = 0;
  static_high_ = static_offset;
  dynamic_used_ = dynamic_bytes;
  allow(dynamic_offset, dynamic_bytes);
  extend(layout);
}

void SharedMemory::extend(const SharedLayout& layout) {
  const auto variables = layout.variables();
  for (; variables_ < variables.size(); ++variables_) {
    const auto& variable = variables[variables_];
    allow(variable.offset, variable.size);
    static_high_ = variable.offset + variable.size;
  }
}

}  // namespace kata::emulator

#include "emulator/runtime/variables.h"

#include <sys/mman.h>

#include <new>

namespace kata::emulator {

VariableShadows::~VariableShadows() {
  if (shadows_) munmap(shadows_, bytes());
}

void VariableShadows::begin(const AddressRange& variables) {
  if (shadows_) munmap(shadows_, bytes());
  variables_ = variables;
  variables_.low &= ~std::uintptr_t{3};
  void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shadows_ = static_cast<Shadow*>(memory);
}

void VariableShadows::prepare() {
  if (number_round_ != number_rounds()) madvise(shadows_, bytes(), MADV_DONTNEED);
  number_round_ = number_rounds();
}

}  // namespace kata::emulator

#pragma once
// Makes the program call `function` where it called the function of that name: an entry of its
// table of functions of other libraries is written to.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <cstring>

struct Patch {
  const char* name;
  void* function;
};

inline void write_entry(void** entry, void* function) {
  void* const page = reinterpret_cast<void*>(reinterpret_cast<size_t>(entry) & ~size_t{4095});
  mprotect(page, 2 * 4096, PROT_READ | PROT_WRITE);
  *entry = function;
}

inline int patch_program(dl_phdr_info* info, size_t, void* data) {
  const Patch& patch = *static_cast<const Patch*>(data);
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {};
  size_t bytes[2] = {};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
      const auto at = dynamic->d_un.d_ptr;
      if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at);
      if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at);
      if (dynamic->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(at);
      if (dynamic->d_tag == DT_PLTRELSZ) bytes[0] = at;
      if (dynamic->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(at);
      if (dynamic->d_tag == DT_RELASZ) bytes[1] = at;
    }
  }
  for (int t = 0; t < 2 && symbols && names; ++t) {
    for (size_t i = 0; i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& one = tables[t][i];
      const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(one.r_info)];
      if (std::strcmp(names + symbol.st_name, patch.name) == 0)
        write_entry(reinterpret_cast<void**>(info->dlpi_addr + one.r_offset), patch.function);
    }
  }
  return 1;  // the program itself is the first
}

inline void patch(const char* name, void* function) {
  Patch one{name, function};
  dl_iterate_phdr(patch_program, &one);
}

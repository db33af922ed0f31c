#include "compile/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace kata {
namespace {

/// The object of type T at `offset`, if it lies within the file.
template <class T>
std::optional<T> at(const std::string& file, std::uint64_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::optional<Elf64_Shdr> section(const std::string& file, const Elf64_Ehdr& header,
                                  unsigned index) {
  return at<Elf64_Shdr>(file, header.e_shoff + std::uint64_t{index} * header.e_shentsize);
}

void add(DynamicSymbols& symbols, const Elf64_Sym& symbol, const std::string& name) {
  const int binding = ELF64_ST_BIND(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF) {
    if (binding == STB_GLOBAL) symbols.undefined.push_back(name);
    return;
  }
  symbols.exported.push_back(name);
  const bool function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
  const bool reserved = name.starts_with("_");
  if (function && binding == STB_GLOBAL && !reserved) symbols.functions.push_back(name);
}

}  // namespace

DynamicSymbols read_dynamic_symbols(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  DynamicSymbols symbols;
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return symbols;
  }
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto table = section(file, *header, i);
    if (!table || table->sh_type != SHT_DYNSYM) continue;
    const auto names = section(file, *header, table->sh_link);
    if (!names) continue;
    for (std::uint64_t offset = sizeof(Elf64_Sym); offset < table->sh_size;
         offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(file, table->sh_offset + offset);
      if (!symbol || names->sh_offset + symbol->st_name >= file.size()) break;
      add(symbols, *symbol, file.c_str() + names->sh_offset + symbol->st_name);
    }
  }
  std::sort(symbols.functions.begin(), symbols.functions.end());
  return symbols;
}

}  // namespace kata

#include "compile/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace kata {
namespace {

/// A file in memory: of one as large as a worker with its debug information, only a few pages are
/// read.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const low = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (low != MAP_FAILED) bytes_ = {static_cast<const char*>(low), size};
    }
    close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// The object of type T at `offset`, if it lies within the file.
template <class T>
std::optional<T> at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::optional<Elf64_Shdr> section(std::string_view file, const Elf64_Ehdr& header, unsigned index) {
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
  const MappedFile mapped(path);
  const std::string_view file = mapped.bytes();
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
      const std::string_view rest = file.substr(names->sh_offset + symbol->st_name);
      add(symbols, *symbol, std::string(rest.substr(0, rest.find('\0'))));
    }
  }
  std::sort(symbols.functions.begin(), symbols.functions.end());
  return symbols;
}

}  // namespace kata

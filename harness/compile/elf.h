#pragma once
// A 64-bit ELF file as a compiler or linker wrote it: no child process, nothing loaded.

#include <elf.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kata {

/// Of one as large as a worker with its debug information, only a few pages are read.
class ElfFile {
 public:
  /// Without sections if the file cannot be read so.
  explicit ElfFile(const std::filesystem::path& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  struct Symbol : Elf64_Sym {
    std::string_view name;
  };

  bool is_relocatable() const { return header_.e_type == ET_REL; }
  std::vector<Elf64_Shdr>& sections() { return sections_; }
  /// Of the table of that type: SHT_SYMTAB or SHT_DYNSYM.
  std::vector<Symbol> symbols(unsigned type) const;
  std::string_view name(const Elf64_Shdr& section) const;
  /// What the file holds of a section; empty if it holds nothing.
  std::string_view content(const Elf64_Shdr& section) const;

  void set_content(Elf64_Shdr& section, std::string_view content);
  void rename(Elf64_Shdr& section, const std::string& name);
  /// With all that was changed. Then the object is of no further use.
  void write(const std::filesystem::path& path);

 private:
  bool has(std::uint64_t offset, std::uint64_t size) const;

  std::string_view bytes_;  ///< mapped
  std::string added_;       ///< behind them
  std::string names_;       ///< of the sections
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

struct DynamicSymbols {
  std::vector<std::string> functions;  ///< defined, global (not weak), not C++-mangled
  std::vector<std::string> exported;   ///< everything defined
  std::vector<std::string> undefined;  ///< needed from elsewhere (weak references left out)
};

/// Empty lists if the file is no 64-bit shared object.
DynamicSymbols read_dynamic_symbols(const std::filesystem::path& path);

}  // namespace kata

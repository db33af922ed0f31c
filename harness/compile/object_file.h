#pragma once
// An ELF file as a compiler or linker wrote it, to be read and changed.

#include <elf.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kata {

class ObjectFile {
 public:
  /// Without sections and symbols if the file cannot be read so.
  explicit ObjectFile(const std::filesystem::path& path);

  bool is_relocatable() const { return header_.e_type == ET_REL; }
  std::vector<Elf64_Shdr>& sections() { return sections_; }
  std::vector<Elf64_Sym>& symbols() { return symbols_; }
  std::string_view name(const Elf64_Shdr& section) const;
  std::string_view name(const Elf64_Sym& symbol) const;
  /// Null if it has none there: a symbol from elsewhere, or a special section.
  const Elf64_Shdr* section_of(const Elf64_Sym& symbol) const;
  /// What the file holds of a section; empty if it holds nothing.
  std::string_view content(const Elf64_Shdr& section) const;

  void set_content(Elf64_Shdr& section, const std::string& content);
  void rename(Elf64_Shdr& section, const std::string& name);
  /// With all that was changed.
  void write(const std::filesystem::path& path);

 private:
  bool has(std::uint64_t offset, std::uint64_t size) const;
  std::uint64_t append(const std::string& content, std::uint64_t alignment);

  std::string bytes_, names_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::size_t symbol_table_ = 0;  ///< its section; 0: there is none
  std::vector<Elf64_Sym> symbols_;
};

}  // namespace kata

#include "compile/object_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kata {

ObjectFile::ObjectFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  if (bytes_.size() < sizeof header_) return;
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  const std::uint64_t size = std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr);
  const bool is_elf =
      std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf || !has(header_.e_shoff, size) || header_.e_shstrndx >= header_.e_shnum) return;
  sections_.resize(header_.e_shnum);
  std::memcpy(sections_.data(), bytes_.data() + header_.e_shoff, size);
  names_ = content(sections_[header_.e_shstrndx]);
  for (std::size_t i = 1; i < sections_.size(); ++i) {
    if (sections_[i].sh_type != SHT_SYMTAB) continue;
    const std::string_view table = content(sections_[i]);
    symbol_table_ = i;
    symbols_.resize(table.size() / sizeof(Elf64_Sym));
    std::memcpy(symbols_.data(), table.data(), symbols_.size() * sizeof(Elf64_Sym));
  }
}

std::string_view ObjectFile::name(const Elf64_Shdr& section) const {
  return section.sh_name < names_.size() ? names_.c_str() + section.sh_name : "";
}

std::string_view ObjectFile::name(const Elf64_Sym& symbol) const {
  const std::size_t table = sections_[symbol_table_].sh_link;
  const std::string_view names = table < sections_.size() ? content(sections_[table]) : "";
  if (symbol.st_name >= names.size()) return "";
  return names.substr(symbol.st_name, names.find('\0', symbol.st_name) - symbol.st_name);
}

const Elf64_Shdr* ObjectFile::section_of(const Elf64_Sym& symbol) const {
  const std::size_t index = symbol.st_shndx;
  return index == SHN_UNDEF || index >= sections_.size() ? nullptr : &sections_[index];
}

std::string_view ObjectFile::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || !has(section.sh_offset, section.sh_size)) return "";
  return std::string_view(bytes_).substr(section.sh_offset, section.sh_size);
}

void ObjectFile::set_content(Elf64_Shdr& section, const std::string& content) {
  section.sh_offset = append(content, section.sh_addralign);
  section.sh_size = content.size();
}

void ObjectFile::rename(Elf64_Shdr& section, const std::string& name) {
  section.sh_name = static_cast<Elf64_Word>(names_.size());
  names_.append(name).push_back('\0');
}

void ObjectFile::write(const std::filesystem::path& path) {
  set_content(sections_[header_.e_shstrndx], names_);
  if (symbol_table_) {
    const auto* symbols = reinterpret_cast<const char*>(symbols_.data());
    std::memcpy(bytes_.data() + sections_[symbol_table_].sh_offset, symbols,
                symbols_.size() * sizeof(Elf64_Sym));
  }
  const auto* table = reinterpret_cast<const char*>(sections_.data());
  header_.e_shoff = append({table, sections_.size() * sizeof(Elf64_Shdr)}, alignof(Elf64_Shdr));
  std::memcpy(bytes_.data(), &header_, sizeof header_);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes_;
}

bool ObjectFile::has(std::uint64_t offset, std::uint64_t size) const {
  return offset <= bytes_.size() && size <= bytes_.size() - offset;
}

std::uint64_t ObjectFile::append(const std::string& content, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  bytes_.resize((bytes_.size() + step - 1) / step * step);
  const std::uint64_t offset = bytes_.size();
  bytes_ += content;
  return offset;
}

}  // namespace kata

#include "compile/elf.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace kata {
namespace {

std::string_view mapped(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  void* low = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    low = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (low == MAP_FAILED) return {};
  return {static_cast<const char*>(low), static_cast<std::size_t>(status.st_size)};
}

template <class T>
std::vector<T> as(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The text from `offset` up to its 0.
std::string_view text_at(std::string_view texts, std::size_t offset) {
  const std::string_view rest = texts.substr(std::min(offset, texts.size()));
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& path) : bytes_(mapped(path)) {
  Elf64_Ehdr header;
  if (!has(0, sizeof header)) return;
  std::memcpy(&header, bytes_.data(), sizeof header);
  const std::uint64_t size = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  const bool is_elf =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf || !has(header.e_shoff, size) || header.e_shstrndx >= header.e_shnum) return;
  header_ = header;
  sections_ = as<Elf64_Shdr>(bytes_.substr(header.e_shoff, size));
  names_ = content(sections_[header.e_shstrndx]);
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::vector<ElfFile::Symbol> ElfFile::symbols(unsigned type) const {
  std::vector<Symbol> symbols;
  for (const Elf64_Shdr& table : sections_) {
    if (table.sh_type != type || table.sh_link >= sections_.size()) continue;
    const std::string_view names = content(sections_[table.sh_link]);
    for (const Elf64_Sym& symbol : as<Elf64_Sym>(content(table)))
      symbols.push_back({symbol, text_at(names, symbol.st_name)});
  }
  return symbols;
}

std::string_view ElfFile::name(const Elf64_Shdr& section) const {
  return text_at(names_, section.sh_name);
}

std::string_view ElfFile::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || !has(section.sh_offset, section.sh_size)) return "";
  return bytes_.substr(section.sh_offset, section.sh_size);
}

void ElfFile::set_content(Elf64_Shdr& section, std::string_view content) {
  const std::uint64_t step = std::max<std::uint64_t>(section.sh_addralign, 1);
  const std::uint64_t end = bytes_.size() + added_.size();
  section.sh_offset = (end + step - 1) / step * step;
  section.sh_size = content.size();
  added_.append(section.sh_offset - end, '\0').append(content);
}

void ElfFile::rename(Elf64_Shdr& section, const std::string& name) {
  section.sh_name = static_cast<Elf64_Word>(names_.size());
  names_.append(name).push_back('\0');
}

void ElfFile::write(const std::filesystem::path& path) {
  set_content(sections_[header_.e_shstrndx], names_);
  Elf64_Shdr table{};
  table.sh_addralign = alignof(Elf64_Shdr);
  set_content(table, {reinterpret_cast<const char*>(sections_.data()),
                      sections_.size() * sizeof(Elf64_Shdr)});
  header_.e_shoff = table.sh_offset;
  std::string all(bytes_);  // a copy: writing may shorten the file that is mapped
  std::memcpy(all.data(), &header_, sizeof header_);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << all << added_;
}

bool ElfFile::has(std::uint64_t offset, std::uint64_t size) const {
  return offset <= bytes_.size() && size <= bytes_.size() - offset;
}

DynamicSymbols read_dynamic_symbols(const std::filesystem::path& path) {
  DynamicSymbols found;
  const ElfFile file(path);
  for (const ElfFile::Symbol& symbol : file.symbols(SHT_DYNSYM)) {
    const int binding = ELF64_ST_BIND(symbol.st_info);
    if (symbol.name.empty()) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      if (binding == STB_GLOBAL) found.undefined.emplace_back(symbol.name);
      continue;
    }
    found.exported.emplace_back(symbol.name);
    const bool function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (function && binding == STB_GLOBAL && !symbol.name.starts_with("_"))
      found.functions.emplace_back(symbol.name);
  }
  std::sort(found.functions.begin(), found.functions.end());
  return found;
}

}  // namespace kata

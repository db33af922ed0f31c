#include "compile/gaps.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace kata {
namespace {

constexpr std::uint64_t least_gap = 256, largest_gap = 64 << 10, largest_alignment = 64 << 10;

/// A relocatable file with its section headers taken out, to be changed.
class ObjectFile {
 public:
  explicit ObjectFile(std::string bytes) : bytes_(std::move(bytes)) {
    if (bytes_.size() < sizeof header_) return;
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    const std::uint64_t size = std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr);
    const bool is_object = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
                           header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_type == ET_REL;
    if (!is_object || !has(header_.e_shoff, size) || header_.e_shstrndx >= header_.e_shnum) return;
    sections_.resize(header_.e_shnum);
    std::memcpy(sections_.data(), bytes_.data() + header_.e_shoff, size);
    const Elf64_Shdr& names = sections_[header_.e_shstrndx];
    if (has(names.sh_offset, names.sh_size)) names_ = bytes_.substr(names.sh_offset, names.sh_size);
  }

  std::vector<Elf64_Shdr>& sections() { return sections_; }
  std::string_view name(const Elf64_Shdr& section) const {
    return section.sh_name < names_.size() ? names_.c_str() + section.sh_name : "";
  }

  /// Of each section: whether a variable lies in it.
  std::vector<bool> with_variables() const {
    std::vector<bool> result(sections_.size());
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || !has(table.sh_offset, table.sh_size)) continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        std::memcpy(&symbol, bytes_.data() + table.sh_offset + at, sizeof symbol);
        const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0;
        if (is_variable && symbol.st_shndx < result.size()) result[symbol.st_shndx] = true;
      }
    }
    return result;
  }

  void widen(Elf64_Shdr& section) {
    const std::uint64_t gap = std::clamp(section.sh_size, least_gap, largest_gap);
    if (section.sh_type == SHT_PROGBITS) {
      const std::string content = bytes_.substr(section.sh_offset, section.sh_size);
      section.sh_offset = append(content + std::string(gap, '\0'), section.sh_addralign);
    }
    section.sh_size += gap;
    section.sh_flags &= ~std::uint64_t{SHF_MERGE};  // nothing in it has a double
    section.sh_entsize = 0;
  }

  void rename(Elf64_Shdr& section, const std::string& name) {
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    names_.append(name).push_back('\0');
  }

  /// The whole file, with what was changed.
  std::string bytes() {
    Elf64_Shdr& names = sections_[header_.e_shstrndx];
    names.sh_offset = append(names_, 1);
    names.sh_size = names_.size();
    const auto* table = reinterpret_cast<const char*>(sections_.data());
    header_.e_shoff = append({table, sections_.size() * sizeof(Elf64_Shdr)}, alignof(Elf64_Shdr));
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return bytes_;
  }

  bool has(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

 private:
  std::uint64_t append(const std::string& content, std::uint64_t alignment) {
    const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
    bytes_.resize((bytes_.size() + step - 1) / step * step);
    const std::uint64_t offset = bytes_.size();
    bytes_ += content;
    return offset;
  }

  std::string bytes_, names_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

/// Not what the loader writes and then protects, nor what each OS thread has of its own, nor
/// literals, which share a section (some have symbols, some have none).
bool can_be_widened(const ObjectFile& file, const Elf64_Shdr& section) {
  const std::string_view name = file.name(section);
  const bool is_own = (name.starts_with(".data.") && !name.starts_with(".data.rel.ro")) ||
                      name.starts_with(".bss.") || name.starts_with(".rodata.");
  const bool is_data =
      name.starts_with(".kata_constant.") || (is_own && !(section.sh_flags & SHF_MERGE));
  const bool is_there =
      section.sh_type == SHT_NOBITS ||
      (section.sh_type == SHT_PROGBITS && file.has(section.sh_offset, section.sh_size));
  const bool is_in_memory = (section.sh_flags & SHF_ALLOC) && !(section.sh_flags & SHF_TLS);
  return is_data && is_there && is_in_memory && section.sh_addralign <= largest_alignment;
}

}  // namespace

bool may_have_variables(const std::vector<SourceFile>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const SourceFile& source) {
    return source.text.find("__device__") != std::string::npos ||
           source.text.find("__constant__") != std::string::npos;
  });
}

void add_gaps(const std::filesystem::path& object) {
  std::ifstream stream(object, std::ios::binary);
  ObjectFile file{std::string(std::istreambuf_iterator<char>(stream), {})};
  const std::vector<bool> with_variables = file.with_variables();
  for (std::size_t i = 0; i < with_variables.size(); ++i) {
    Elf64_Shdr& section = file.sections()[i];
    if (!with_variables[i] || !can_be_widened(file, section)) continue;
    const std::string name(file.name(section));
    file.widen(section);
    if (!name.starts_with(".kata_constant.")) file.rename(section, ".kata_variable" + name);
  }
  if (with_variables.empty()) return;
  std::ofstream(object, std::ios::binary | std::ios::trunc) << file.bytes();
}

}  // namespace kata

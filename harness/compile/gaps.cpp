#include "compile/gaps.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compile/elf.h"

namespace kata {
namespace {

constexpr std::uint64_t least_gap = 256, largest_gap = 64 << 10, largest_alignment = 64 << 10;

/// Of each section: whether a variable lies in it.
std::vector<bool> with_variables(ElfFile& file) {
  std::vector<bool> result(file.sections().size());
  for (const ElfFile::Symbol& symbol : file.symbols(SHT_SYMTAB)) {
    const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0;
    if (is_variable && symbol.st_shndx < result.size()) result[symbol.st_shndx] = true;
  }
  return result;
}

void widen(ElfFile& file, Elf64_Shdr& section) {
  const std::uint64_t gap = std::clamp(section.sh_size, least_gap, largest_gap);
  if (section.sh_type == SHT_PROGBITS) {
    file.set_content(section, std::string(file.content(section)) + std::string(gap, '\0'));
  } else {
    section.sh_size += gap;
  }
  section.sh_flags &= ~std::uint64_t{SHF_MERGE};  // nothing in it has a double
  section.sh_entsize = 0;
}

/// Not what the loader writes and then protects, nor what each OS thread has of its own, nor
/// literals, which share a section (some have symbols, some have none).
bool can_be_widened(const ElfFile& file, const Elf64_Shdr& section) {
  const std::string_view name = file.name(section);
  const bool is_own = (name.starts_with(".data.") && !name.starts_with(".data.rel.ro")) ||
                      name.starts_with(".bss.") || name.starts_with(".rodata.");
  const bool is_data =
      name.starts_with(".kata_constant.") || (is_own && !(section.sh_flags & SHF_MERGE));
  const bool is_there =
      section.sh_type == SHT_NOBITS ||
      (section.sh_type == SHT_PROGBITS && file.content(section).size() == section.sh_size);
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
  ElfFile file(object);
  if (!file.is_relocatable()) return;
  const std::vector<bool> variables = with_variables(file);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Elf64_Shdr& section = file.sections()[i];
    if (!variables[i] || !can_be_widened(file, section)) continue;
    const std::string name(file.name(section));
    widen(file, section);
    if (!name.starts_with(".kata_constant.")) file.rename(section, ".kata_variable" + name);
  }
  if (!variables.empty()) file.write(object);
}

}  // namespace kata

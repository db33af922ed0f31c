#include "compile/parts.h"

#include <cstring>
#include <string_view>

#include "compile/object_file.h"

namespace kata {
namespace {

/// A module of this size took 0.4 s to compile; to read the headers twice takes 0.1 s.
constexpr std::uintmax_t large = 120'000;

/// What a part has instead of the other's kernels (kata_emulator/parts.h).
constexpr std::string_view elsewhere = "kata: in the other part";

/// A variable at namespace scope that can be written to or that is __constant__: there would be two
/// of it, or one that is initialised twice. Weak ones are joined, and those of a host's function
/// are used in one part.
bool is_own_variable(const ObjectFile& file, const Elf64_Sym& symbol) {
  const Elf64_Shdr* section = file.section_of(symbol);
  const int type = ELF64_ST_TYPE(symbol.st_info);
  if (!section || (type != STT_OBJECT && type != STT_TLS) ||
      ELF64_ST_BIND(symbol.st_info) == STB_WEAK)
    return false;
  if (file.name(*section).starts_with(".kata_constant")) return true;
  const std::string_view name = file.name(symbol);
  const bool is_of_linker =
      !file.is_relocatable() && (name.starts_with("completed.") || name.starts_with("DW.ref.") ||
                                 (name.starts_with("_") && !name.starts_with("_Z")));
  const bool is_of_function = name.starts_with("_ZZ") || name.starts_with("_ZGVZ");
  return (section->sh_flags & SHF_WRITE) && !is_of_linker && !is_of_function;
}

bool has_own_variables(ObjectFile& file) {
  for (const Elf64_Sym& symbol : file.symbols()) {
    if (is_own_variable(file, symbol)) return true;
  }
  return false;
}

bool is_elsewhere(const ObjectFile& file, const Elf64_Sym& symbol) {
  const Elf64_Shdr* section = file.section_of(symbol);
  if (!section || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return false;
  const std::string_view code = file.content(*section);
  return symbol.st_value < code.size() &&
         code.substr(symbol.st_value, symbol.st_size).find(elsewhere) != std::string_view::npos;
}

/// No group of sections by that name: the linker would take it for the kernel's.
void ungroup(ObjectFile& file, std::size_t symbol) {
  for (Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_GROUP || section.sh_info != symbol) continue;
    std::string members(file.content(section));
    std::memset(members.data(), 0, sizeof(Elf64_Word));  // the flags
    file.set_content(section, members);
  }
}

}  // namespace

bool is_worth_parts(const std::filesystem::path& module) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(module, failed);
  if (failed || size < large) return false;
  ObjectFile file(module);
  return !has_own_variables(file);
}

bool finish_part(const std::filesystem::path& object, std::size_t part) {
  ObjectFile file(object);
  if (!file.is_relocatable() || has_own_variables(file)) return false;
  for (std::size_t i = 0; i < file.symbols().size(); ++i) {
    Elf64_Sym& symbol = file.symbols()[i];
    if (!is_elsewhere(file, symbol)) continue;
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) {  // for launches by this part's host code,
      if (part == 0) return false;                     // which runs
      continue;
    }
    ungroup(file, i);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    symbol.st_shndx = SHN_UNDEF;
    symbol.st_value = symbol.st_size = 0;
  }
  file.write(object);
  return true;
}

}  // namespace kata

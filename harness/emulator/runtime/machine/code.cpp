#include "emulator/runtime/machine/code.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "emulator/runtime/machine/lines.h"

namespace kata::emulator::machine {
namespace {

/// Attributes in .nv.info sections.
constexpr unsigned format_sized = 4, parameters_in_bank = 0x0a;

class Elf {
 public:
  explicit Elf(std::string bytes) : bytes_(std::move(bytes)) {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!read(header.e_shoff + i * header.e_shentsize, section)) return;
      sections_.push_back(section);
    }
    names_ = header.e_shstrndx;
    is_valid_ = names_ < sections_.size();
  }

  bool is_valid() const { return is_valid_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }
  std::string content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  const Elf64_Shdr* find(const std::string& wanted) const {
    for (const Elf64_Shdr& section : sections_)
      if (name(section) == wanted) return &section;
    return nullptr;
  }
  /// Entries of a table of symbols or relocations.
  template <class Entry>
  std::vector<Entry> entries(const Elf64_Shdr& section) const {
    std::vector<Entry> all(section.sh_size / sizeof(Entry));
    for (std::size_t i = 0; i < all.size(); ++i)
      read(section.sh_offset + i * sizeof(Entry), all[i]);
    return all;
  }
  std::string symbol_name(const Elf64_Shdr& table, const Elf64_Sym& symbol) const {
    return text(table.sh_link, symbol.st_name);
  }
  /// The section that a symbol lies in.
  std::optional<unsigned> section_of_symbol(const Elf64_Shdr& table, std::uint64_t symbol) const {
    Elf64_Sym found;
    if (!read(table.sh_offset + symbol * sizeof found, found)) return {};
    return found.st_shndx;
  }

 private:
  template <class T>
  bool read(std::uint64_t at, T& to) const {
    if (at + sizeof(T) > bytes_.size()) return false;
    std::memcpy(&to, bytes_.data() + at, sizeof(T));
    return true;
  }
  std::string text(unsigned section, std::uint64_t at) const {
    const std::uint64_t place = sections_[section].sh_offset + at;
    return place < bytes_.size() ? std::string(bytes_.c_str() + place) : std::string();
  }

  std::string bytes_;
  std::vector<Elf64_Shdr> sections_;
  unsigned names_ = 0;
  bool is_valid_ = false;
};

void read_code(const std::string& text, Kernel& kernel) {
  for (std::size_t i = 0; i + 16 <= text.size(); i += 16) {
    Word word;
    std::memcpy(&word.low, text.data() + i, 8);
    std::memcpy(&word.high, text.data() + i + 8, 8);
    kernel.code.push_back(word);
  }
}

/// Where the parameters lie among the constants.
void read_parameters(const std::string& info, Kernel& kernel) {
  for (std::size_t i = 0; i + 4 <= info.size();) {
    const auto format = static_cast<unsigned char>(info[i]);
    const auto attribute = static_cast<unsigned char>(info[i + 1]);
    std::uint16_t size;
    std::memcpy(&size, info.data() + i + 2, 2);
    i += 4;
    if (format != format_sized) continue;
    if (attribute == parameters_in_bank && i + 8 <= info.size()) {
      std::uint16_t place[2];
      std::memcpy(place, info.data() + i + 4, 4);
      kernel.parameters_at = place[0];
      kernel.parameter_bytes = place[1];
    }
    i += size;
  }
}

Kernel kernel_of(const Elf& elf, const Elf64_Shdr& text, const std::string& symbol) {
  Kernel kernel;
  kernel.symbol = symbol;
  read_code(elf.content(text), kernel);
  if (const auto* shared = elf.find(".nv.shared." + symbol)) kernel.shared_bytes = shared->sh_size;
  if (const auto* info = elf.find(".nv.info." + symbol))
    read_parameters(elf.content(*info), kernel);
  for (const char* kind : {".rel.text.", ".rela.text."}) {
    const auto* places = elf.find(kind + symbol);
    kernel.has_outside_code |= places && places->sh_size > 0;
  }
  return kernel;
}

/// By section: which kernel the line table's addresses belong to.
LineRelocations line_relocations(const Elf& elf) {
  LineRelocations found;
  for (const Elf64_Shdr& section : elf.sections()) {
    const std::string name = elf.name(section);
    if (name != ".rel.debug_line" && name != ".rela.debug_line") continue;
    const bool has_addend = section.sh_type == SHT_RELA;
    const std::string entries = elf.content(section);
    const std::size_t each = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (std::size_t i = 0; i + each <= entries.size(); i += each) {
      Elf64_Rela entry{};
      std::memcpy(&entry, entries.data() + i, each);
      const auto in =
          elf.section_of_symbol(elf.sections()[section.sh_link], ELF64_R_SYM(entry.r_info));
      if (in && *in < elf.sections().size()) found[entry.r_offset] = elf.name(elf.sections()[*in]);
    }
  }
  return found;
}

/// Constants of all kernels: those of the program, and addresses of its variables.
void read_banks(const Elf& elf, Cubin& cubin) {
  constexpr unsigned of_program = 3, of_addresses = 4;
  const Elf64_Shdr* const symbols = elf.find(".symtab");
  if (!symbols) return;
  const auto all = elf.entries<Elf64_Sym>(*symbols);
  for (const unsigned bank : {of_program, of_addresses}) {
    const auto* section = elf.find(".nv.constant" + std::to_string(bank));
    if (!section) continue;
    const std::string content = elf.content(*section);
    auto& bytes = cubin.banks[bank];
    bytes.resize(content.size());
    std::memcpy(bytes.data(), content.data(), content.size());
    const auto number = static_cast<std::size_t>(section - elf.sections().data());
    for (const Elf64_Sym& symbol : all) {
      if (symbol.st_shndx == number && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
        cubin.variables.push_back(
            {bank, symbol.st_value, elf.symbol_name(*symbols, symbol), symbol.st_size, 0});
    }
  }
  if (const auto* places = elf.find(".rela.nv.constant4")) {
    for (const Elf64_Rela& place : elf.entries<Elf64_Rela>(*places)) {
      const std::uint64_t number = ELF64_R_SYM(place.r_info);
      if (number < all.size())
        cubin.variables.push_back({of_addresses, place.r_offset,
                                   elf.symbol_name(*symbols, all[number]), 0,
                                   static_cast<std::uint64_t>(place.r_addend)});
    }
  }
}

}  // namespace

std::unique_ptr<Cubin> read_cubin(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const Elf elf(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!elf.is_valid()) return nullptr;
  auto cubin = std::make_unique<Cubin>();
  const std::string prefix = ".text.";
  for (const Elf64_Shdr& section : elf.sections()) {
    const std::string name = elf.name(section);
    if (!name.starts_with(prefix)) continue;
    const std::string symbol = name.substr(prefix.size());
    cubin->kernels.emplace(symbol, kernel_of(elf, section, symbol));
  }
  read_banks(elf, *cubin);
  if (const auto* lines = elf.find(".debug_line")) {
    LineTable table = read_lines(elf.content(*lines), line_relocations(elf));
    cubin->files = std::move(table.files);
    for (auto& [symbol, kernel] : cubin->kernels) {
      kernel.lines.resize(kernel.code.size());
      for (std::size_t i = 0; i < kernel.lines.size(); ++i)
        kernel.lines[i] = table.at(prefix + symbol, 16 * i);
    }
  }
  return cubin;
}

}  // namespace kata::emulator::machine

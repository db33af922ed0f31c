#include "emulator/runtime/memory/locate.h"

#include <backtrace.h>
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "emulator/emulator.h"
#include "emulator/runtime/memory/round_up.h"

namespace {

using Visit = int (*)(dl_phdr_info*, std::size_t, void*);

/// 0, or an address: of all loaded files, libbacktrace sees the one that holds it.
thread_local std::uintptr_t only_around = 0;

bool holds(const dl_phdr_info& file, std::uintptr_t address) {
  for (unsigned i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    if (address - (file.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

}  // namespace

extern "C" {

/// The linker's --wrap gives the names. libbacktrace reads the debug information of every file that
/// dl_iterate_phdr() lists, the C library's too where a machine has it: 60 ms in each process.
[[gnu::weak]] int __real_dl_iterate_phdr(Visit visit, void* data);
int __wrap_dl_iterate_phdr(Visit visit, void* data);

int __wrap_dl_iterate_phdr(Visit visit, void* data) {
  if (only_around == 0) return __real_dl_iterate_phdr(visit, data);
  struct Filter {
    Visit visit;
    void* data;
  } filter{visit, data};
  const auto visit_one = [](dl_phdr_info* file, std::size_t size, void* passed) {
    const auto& to = *static_cast<const Filter*>(passed);
    return holds(*file, only_around) ? to.visit(file, size, to.data) : 0;
  };
  return __real_dl_iterate_phdr(visit_one, &filter);
}

}  // extern "C"

namespace kata::emulator {
namespace {

void ignore_error(void*, const char*, int) {}

bool is_ours(const std::string& file) {
  return file.find("/emulator/include/") != std::string::npos || file.rfind("/usr/", 0) == 0;
}

/// libbacktrace knows what was loaded when its state was made: there is a state for each file, as
/// long as no other one is loaded. States cannot be freed.
class Symbols {
 public:
  static Symbols& instance() {
    static auto* symbols = new Symbols;  // needed until the very end, by signal handlers
    return *symbols;
  }

  /// Of the functions that were inlined into one another at this code, innermost first.
  struct Frames {
    SourceLine candidate = {};  ///< the first of the candidate's own
    SourceLine outermost = {};  ///< the last of these
    SourceLine library = {};    ///< the first of a library that was rewritten for it
  };

  Frames frames(std::uintptr_t code) {
    const std::lock_guard lock(mutex_);
    refresh();
    const auto known = lines_.find(code);
    if (known != lines_.end()) return known->second;
    Frames result = look_up(code);
    // Code that was moved out of a loop has no line: the nearest row before it is right.
    for (std::uintptr_t back = 1; back < 96 && !result.candidate.line && !result.library.line;
         ++back)
      result = look_up(code - back);
    return lines_[code] = result;
  }

  Symbol symbol(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    refresh();
    Symbol result;
    const auto found = [](void* data, std::uintptr_t, const char* name, std::uintptr_t low,
                          std::uintptr_t) {
      if (name) *static_cast<Symbol*>(data) = {name, low};
    };
    const InOneFile in_one_file(address);
    backtrace_syminfo(state_of(address), address, found, ignore_error, &result);
    // A symbol of the linker without a size may lie where the variable begins, and hide it there.
    Dl_info dynamic{};
    if (result.name.empty() && dladdr(reinterpret_cast<void*>(address), &dynamic) != 0 &&
        dynamic.dli_sname) {
      result = {dynamic.dli_sname, reinterpret_cast<std::uintptr_t>(dynamic.dli_saddr)};
    }
    return result;
  }

 private:
  /// What libbacktrace reads meanwhile is the file that holds this address.
  struct InOneFile {
    explicit InOneFile(std::uintptr_t address) { only_around = address; }
    ~InOneFile() { only_around = 0; }
    InOneFile(const InOneFile&) = delete;
    InOneFile& operator=(const InOneFile&) = delete;
  };

  backtrace_state* state_of(std::uintptr_t address) {
    backtrace_state*& state = states_[module_of(reinterpret_cast<const void*>(address)).low];
    if (!state) state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
    return state;
  }

  void refresh() {
    unsigned long long loaded = 0;
    const auto count = [](dl_phdr_info* info, std::size_t, void* result) {
      *static_cast<unsigned long long*>(result) = info->dlpi_adds + info->dlpi_subs;
      return 1;
    };
    dl_iterate_phdr(count, &loaded);
    if (loaded == loaded_) return;
    states_.clear();
    loaded_ = loaded;
    lines_.clear();
  }

  Frames look_up(std::uintptr_t code) {
    Frames result;
    const auto frame = [](void* data, std::uintptr_t, const char* file, int line, const char*) {
      if (!file || line == 0 || is_ours(file)) return 0;
      auto& frames = *static_cast<Frames*>(data);
      SourceLine& place = !path_in_library(file).empty() ? frames.library : frames.candidate;
      if (place.line == 0) place = {file, line};
      if (&place == &frames.candidate) frames.outermost = {file, line};
      return 0;  // a library may have called the candidate
    };
    const InOneFile in_one_file(code);
    backtrace_pcinfo(state_of(code), code, frame, ignore_error, &result);
    return result;
  }

  std::mutex mutex_;
  std::map<std::uintptr_t, backtrace_state*> states_;  ///< by the file's lowest address
  unsigned long long loaded_ = 0;
  std::map<std::uintptr_t, Frames> lines_;
};

}  // namespace

SourceLine source_line(const Place& place) {
  // A place from the compiler carries a number in its upper bits: see abi.h.
  if (place.file) return {place.file, place.line & 0x1ffff};
  if (!place.code) return {};
  const auto frames = Symbols::instance().frames(reinterpret_cast<std::uintptr_t>(place.code));
  return frames.candidate.line ? frames.candidate : frames.library;
}

SourceLine caller_line(const Place& place) {
  if (place.file || !place.code) return {};
  const auto frames = Symbols::instance().frames(reinterpret_cast<std::uintptr_t>(place.code));
  return frames.outermost == frames.candidate ? SourceLine{} : frames.outermost;
}

std::string path_in_library(const std::string& file) {
  const std::size_t begin = file.find("/" + std::string(rewritten_libraries) + "/");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(file.find("/cub/", begin), file.find("/thrust/", begin));
  return end == std::string::npos ? file : file.substr(end + 1);
}

const void* caller_of_library() {
  struct Search {
    std::uintptr_t caller = 0;
    bool in_library = false;
  } search;
  const auto visit = [](_Unwind_Context* context, void* data) {
    auto& found = *static_cast<Search*>(data);
    const std::uintptr_t code = _Unwind_GetIP(context) - 1;
    if (!in_loaded_module(reinterpret_cast<const void*>(code))) return _URC_NO_REASON;
    const auto frames = Symbols::instance().frames(code);
    if (frames.candidate.line && found.caller == 0) found.caller = code;
    found.in_library |= frames.library.line != 0;
    return found.caller && found.in_library ? _URC_END_OF_STACK : _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &search);
  return search.in_library ? reinterpret_cast<const void*>(search.caller) : nullptr;
}

std::string locate(const void* code_address) {
  const SourceLine found = source_line({code_address, nullptr, 0});
  return found.line ? found.file + ":" + std::to_string(found.line) : "";
}

Symbol symbol_at(std::uintptr_t address) {
  Symbol symbol = Symbols::instance().symbol(address);
  if (symbol.name.starts_with("_Z")) symbol.name = boost::core::demangle(symbol.name.c_str());
  return symbol;
}

std::string function_name(const void* function) {
  if (!function) return "";
  std::string name = symbol_at(reinterpret_cast<std::uintptr_t>(function)).name;
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name.substr(0, name.find('('));
}

namespace {

/// The segments with these flags of the file that holds this code, from the first to the last.
AddressRange segments_of(const void* code, unsigned flags) {
  struct Search {
    std::uintptr_t code;
    unsigned flags;
    AddressRange found;
  } search{reinterpret_cast<std::uintptr_t>(code), flags, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    AddressRange range{~std::uintptr_t{0}, 0};
    bool holds_code = false;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t low = info->dlpi_addr + segment.p_vaddr;
      holds_code |= AddressRange{low, low + segment.p_memsz}.contains(wanted.code);
      if ((segment.p_flags & wanted.flags) != wanted.flags) continue;
      range.low = std::min(range.low, low);
      range.high = std::max(range.high, low + segment.p_memsz);
    }
    if (!holds_code) return 0;
    if (range.low < range.high) wanted.found = range;
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace

AddressRange module_of(const void* code) {
  return segments_of(code, 0);
}

AddressRange variables_of(const void* code) {
  return segments_of(code, PF_W);
}

std::vector<std::uintptr_t> held_by_variables(AddressRange range) {
  struct Search {
    AddressRange range;
    std::vector<std::uintptr_t> found;
  } search{range, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_name[0] == '\0') return 0;  // the program itself
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      const std::uintptr_t low = round_up(info->dlpi_addr + segment.p_vaddr, sizeof(void*));
      const std::uintptr_t high = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
      for (std::uintptr_t at = low; at + sizeof(void*) <= high; at += sizeof(void*)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
        if (wanted.range.contains(word)) wanted.found.push_back(word);
      }
    }
    return 0;
  };
  dl_iterate_phdr(visit, &search);
  std::sort(search.found.begin(), search.found.end());
  return search.found;
}

VariablePlaces variable_places_of(const void* code) {
  VariablePlaces places;
  Dl_info loaded{};
  if (!dladdr(code, &loaded)) return places;
  std::ifstream stream(loaded.dli_fname, std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(stream), {});
  if (file.size() < sizeof(ElfW(Ehdr))) return places;
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(file.data());
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file.data() + header.e_shoff);
  const char* names = file.data() + sections[header.e_shstrndx].sh_offset;
  const auto base = reinterpret_cast<std::uintptr_t>(loaded.dli_fbase);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const ElfW(Shdr)& section = sections[i];
    const std::string_view name = names + section.sh_name;
    const AddressRange range{base + section.sh_addr, base + section.sh_addr + section.sh_size};
    const bool constant = name.starts_with(".kata_constant.");
    if (constant) places.constants.push_back(range);
    if (constant || name.starts_with(".kata_variable.")) places.sections.push_back(range);
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(file.data() + section.sh_offset);
    for (std::size_t j = 0; j < section.sh_size / sizeof(ElfW(Sym)); ++j) {
      const std::uintptr_t low = base + symbols[j].st_value;
      if (ELF64_ST_TYPE(symbols[j].st_info) == STT_OBJECT && symbols[j].st_size > 0)
        places.variables.push_back({low, low + symbols[j].st_size});
    }
  }
  std::sort(places.variables.begin(), places.variables.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.low < b.low; });
  return places;
}

std::vector<CodeLine> code_lines(const void* function) {
  std::vector<std::string> names;
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(visit, &names);
  std::vector<const void*> places;
  std::vector<bool> ran;
  for (const std::string& name : names) {
    void* const module = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!module) continue;
    const auto* const blocks = static_cast<void**>(dlsym(module, "__kata_blocks"));
    dlclose(module);
    if (!blocks) continue;
    const auto* const first = static_cast<const int*>(blocks[0]);
    const auto count = static_cast<std::size_t>(static_cast<const int*>(blocks[1]) - first);
    for (std::size_t i = places.size(); i < count; ++i) {
      places.push_back(reinterpret_cast<const char*>(first + i) + first[i]);
      ran.push_back(false);
    }
    for (std::size_t i = 0; i < count; ++i)
      ran[i] = ran[i] || static_cast<const unsigned char*>(blocks[2])[i];
  }
  const std::string file = source_line({function, nullptr, 0}).file;
  // Of what is inlined everywhere, a copy is left that never runs.
  std::vector<std::uintptr_t> functions;
  std::set<std::uintptr_t> in_use;
  for (std::size_t i = 0; i < places.size(); ++i) {
    functions.push_back(symbol_at(reinterpret_cast<std::uintptr_t>(places[i])).address);
    if (ran[i]) in_use.insert(functions.back());
  }
  std::map<int, bool> lines;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!in_use.count(functions[i])) continue;
    const SourceLine line = source_line({places[i], nullptr, 0});
    if (line.line > 0 && line.file == file) lines[line.line] |= ran[i];
  }
  std::vector<CodeLine> result;
  for (const auto& [line, has_run] : lines) result.push_back({line, has_run});
  return result;
}

bool in_loaded_module(const void* code) {
  static const AddressRange program = module_of(reinterpret_cast<const void*>(&module_of));
  return !program.contains(reinterpret_cast<std::uintptr_t>(code));
}

}  // namespace kata::emulator

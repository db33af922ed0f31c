#include "emulator/runtime/machine/lines.h"

#include <cstring>

namespace kata::emulator::machine {
namespace {

constexpr unsigned inlined_call = 0x90;  ///< NVIDIA's extended opcode

class Reader {
 public:
  Reader(const std::string& bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::size_t at() const { return at_; }
  void skip_to(std::size_t at) { at_ = at; }
  template <class T>
  T fixed() {
    T value{};
    if (at_ + sizeof(T) <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  unsigned byte() { return fixed<std::uint8_t>(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7f} << shift;
      if (!(next & 0x80)) return value;
    }
  }
  std::int64_t signed_number() {
    std::int64_t value = 0;
    for (unsigned shift = 0;;) {
      const unsigned next = byte();
      if (shift < 64) value |= static_cast<std::int64_t>(next & 0x7f) << shift;
      shift += 7;
      if (next & 0x80) continue;
      if (shift < 64 && (next & 0x40)) value |= -(std::int64_t{1} << shift);
      return value;
    }
  }
  std::string text() {
    std::string value;
    while (at_ < bytes_.size() && bytes_[at_]) value += bytes_[at_++];
    ++at_;
    return value;
  }

 private:
  const std::string& bytes_;
  std::size_t at_;
};

/// The machine of DWARF's line programs (DWARF Debugging Information Format 2, section 6.2).
class LineProgram {
 public:
  LineProgram(Reader& in, std::size_t end, const LineRelocations& relocations, LineTable& table)
      : in_(in), end_(end), relocations_(relocations), table_(table) {}

  void run() {
    in_.fixed<std::uint16_t>();  // version
    const auto header_bytes = in_.fixed<std::uint32_t>();
    const std::size_t begin = in_.at() + header_bytes;
    smallest_ = in_.byte();
    in_.byte();
    base_ = in_.fixed<std::int8_t>();
    range_ = in_.byte();
    first_special_ = in_.byte();
    for (unsigned i = 1; i < first_special_; ++i) operands_.push_back(in_.byte());
    read_files();
    in_.skip_to(begin);
    while (in_.at() < end_) step(in_.byte());
  }

 private:
  void read_files() {
    std::vector<std::string> folders{""};
    for (std::string folder = in_.text(); !folder.empty(); folder = in_.text())
      folders.push_back(folder);
    first_file_ = table_.files.size();
    for (std::string file = in_.text(); !file.empty(); file = in_.text()) {
      const std::uint64_t folder = in_.number();
      in_.number();
      in_.number();
      const bool known = folder > 0 && folder < folders.size();
      table_.files.push_back(known ? folders[folder] + "/" + file : file);
    }
  }

  void step(unsigned code) {
    if (code >= first_special_) {
      const unsigned special = code - first_special_;
      address_ += std::uint64_t{special / range_} * smallest_;
      line_ += base_ + static_cast<int>(special % range_);
      return add_row();
    }
    switch (code) {
      case 0:
        return step_extended();
      case 1:
        return add_row();
      case 2:
        address_ += in_.number() * smallest_;
        return;
      case 3:
        line_ += static_cast<int>(in_.signed_number());
        return;
      case 4:
        file_ = in_.number();
        return;
      case 8:
        address_ += std::uint64_t{(255 - first_special_) / range_} * smallest_;
        return;
      case 9:
        address_ += in_.fixed<std::uint16_t>();
        return;
      default:
        for (unsigned i = 0; i < operands_[code - 1]; ++i) in_.number();
    }
  }

  void step_extended() {
    const std::uint64_t bytes = in_.number();
    const std::size_t next = in_.at() + bytes;
    switch (in_.byte()) {
      case 1:
        add_row();
        address_ = 0;
        file_ = line_ = 1;
        caller_ = 0;
        break;
      case 2: {
        const auto place = relocations_.find(in_.at());
        if (place != relocations_.end()) section_ = place->second;
        address_ = in_.fixed<std::uint64_t>();
        break;
      }
      case inlined_call:
        caller_ = in_.number();
        break;
      default:
        break;
    }
    in_.skip_to(next);
  }

  void add_row() {
    table_.all.push_back(
        {{static_cast<unsigned>(first_file_ + file_ - 1), static_cast<unsigned>(line_)}, caller_});
    table_.rows[section_][address_] = table_.all.size() - 1;
  }

  Reader& in_;
  std::size_t end_;
  const LineRelocations& relocations_;
  LineTable& table_;
  unsigned smallest_ = 1, range_ = 1, first_special_ = 1;
  int base_ = 0;
  std::vector<unsigned> operands_;
  std::size_t first_file_ = 0, caller_ = 0;
  std::string section_;
  std::uint64_t address_ = 0, file_ = 1;
  int line_ = 1;
};

bool is_of_cuda(const std::string& file) {
  return file.find("/cuda") != std::string::npos && file.find("/include") != std::string::npos;
}

}  // namespace

Line LineTable::at(const std::string& section, std::uint64_t address) const {
  const auto found = rows.find(section);
  if (found == rows.end()) return {};
  auto row = found->second.upper_bound(address);
  if (row == found->second.begin()) return {};
  const Row* one = &all[(--row)->second];
  for (unsigned depth = 0; depth < 64 && one->caller > 0 && one->caller <= all.size(); ++depth) {
    if (one->line.file < files.size() && !is_of_cuda(files[one->line.file])) break;
    one = &all[one->caller - 1];
  }
  return one->line;
}

LineTable read_lines(const std::string& section, const LineRelocations& relocations) {
  LineTable table;
  for (std::size_t at = 0; at + 4 < section.size();) {
    Reader in(section, at);
    const std::size_t end = at + 4 + in.fixed<std::uint32_t>();
    LineProgram(in, end, relocations, table).run();
    at = end;
  }
  return table;
}

}  // namespace kata::emulator::machine

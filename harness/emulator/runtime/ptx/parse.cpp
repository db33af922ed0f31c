// The text of an asm statement -> instructions.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

#include "emulator/runtime/kernel/narrow_floats.h"
#include "emulator/runtime/ptx/ptx.h"

namespace kata::emulator::ptx {
namespace {

constexpr std::array<std::string_view, 24> type_names{
    "",    "pred", "b8",  "b16", "b32",   "b64",  "b128",   "u8",   "u16", "u32", "u64",  "s8",
    "s16", "s32",  "s64", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64", "e4m3", "e5m2"};

/// Whether a list of words holds this one; "L2::*" holds all that begin so.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    std::string_view one = list.substr(0, end);
    if (one == word) return true;
    if (one.ends_with('*') && word.starts_with(one.substr(0, one.size() - 1))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::uint64_t bits_of(double value, Type type) {
  switch (type) {
    case Type::f64:
      return std::bit_cast<std::uint64_t>(value);
    case Type::f16:
      return half_from_float(static_cast<float>(value));
    case Type::bf16:
      return bf16_from_float(static_cast<float>(value));
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

struct Failure {
  std::string what;
};

class Parser {
 public:
  Parser(std::string_view text, unsigned operands) : text_(text) {
    // %= makes a label unique in a file; here each statement has labels of its own.
    for (std::size_t at; (at = text_.find("%=")) != std::string::npos;) text_.erase(at, 2);
    program_.operands = program_.slots = operands;
    program_.is_result.resize(operands);
  }

  Program run() {
    try {
      while (skip_space(), at_ < text_.size()) statement();
      resolve_branches();
    } catch (const Failure& failure) {
      program_.problem = "inline PTX " + failure.what;
    }
    return std::move(program_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  }

  void skip_space() {
    for (;;) {
      if (std::isspace(static_cast<unsigned char>(peek()))) {
        ++at_;
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') ++at_;
      } else if (peek() == '/' && peek(1) == '*') {
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw Failure{"that does not parse: `" + rest() + "`"};
  }
  std::string rest() const { return text_.substr(at_, 40); }

  /// %0 is an operand, %%laneid (or %laneid where there are no operands) a register.
  std::string word() {
    skip_space();
    std::string result;
    while (peek() == '%') {
      result = "%";
      ++at_;
    }
    while (is_word(peek()) || (result.size() > 1 && result[0] == '%' && peek() == '.'))
      result += text_[at_++];
    return result;
  }

  void statement() {
    if (take('{') || take('}') || take(';')) return;
    Instruction instruction;
    if (take('@')) {
      const bool negated = take('!');
      instruction.guard = source(Type::pred);
      instruction.guard.negated = negated;
      skip_space();
    }
    if (peek() == '.') return declaration();
    const std::size_t begin = at_;
    while (is_word(peek()) || peek() == '.' || (peek() == ':' && peek(1) == ':')) {
      at_ += peek() == ':' ? 2 : 1;
    }
    instruction.text = text_.substr(begin, at_ - begin);
    if (instruction.text.empty()) throw Failure{"that does not parse: `" + rest() + "`"};
    if (take(':')) {
      labels_[instruction.text] = static_cast<int>(program_.instructions.size());
      return;
    }
    read_opcode(instruction);
    read_operands(instruction);
    if (instruction.has("mma_async")) read_matrix(instruction);
    program_.instructions.push_back(std::move(instruction));
  }

  void read_matrix(Instruction& instruction) {
    instruction.matrix = matrix_form(instruction);
    if (!instruction.matrix)
      throw Failure{"`" + instruction.text + "`, which PTX does not have with these operands"};
    for (const Source& d : instruction.operands[0].elements) {
      if (d.kind != Source::Kind::slot || d.slot >= program_.operands)
        throw Failure{"`" + instruction.text + "` with a register of the statement in D"};
      program_.is_result[d.slot] = true;
    }
  }

  /// .reg .b32 a, b<4>;
  void declaration() {
    std::string kind;
    for (++at_; is_word(peek());) kind += text_[at_++];
    if (kind != "reg") throw Failure{"`." + kind + "`"};
    expect('.');
    word();
    do {
      const std::string name = word();
      if (take('<')) {
        const int count = std::atoi(word().c_str());
        expect('>');
        for (int i = 0; i < count; ++i) add_register(name + std::to_string(i));
      } else {
        add_register(name);
      }
    } while (take(','));
    expect(';');
  }

  void add_register(const std::string& name) {
    if (program_.slots == most_slots) throw Failure{"with that many registers"};
    registers_[name] = program_.slots++;
  }

  void read_opcode(Instruction& instruction) {
    std::string_view rest_of = instruction.text;
    const std::string name(rest_of.substr(0, rest_of.find('.')));
    instruction.opcode = find_form(instruction.text);
    const bool is_form = instruction.opcode != nullptr;
    if (!is_form) instruction.opcode = find_opcode(name);
    const std::string_view lack = reason_for_lack(instruction.text);
    if (!instruction.opcode || (!lack.empty() && !is_form)) {
      throw Failure{"`" + instruction.text + "`" +
                    (lack.empty() ? "" : " (" + std::string(lack) + ")")};
    }
    for (std::size_t dot = rest_of.find('.'); dot != std::string_view::npos;) {
      rest_of.remove_prefix(dot + 1);
      dot = rest_of.find('.');
      std::string_view word = rest_of.substr(0, dot);
      if (word == "shared::cta") word = "shared";
      const Type type = type_named(word);
      if (type != Type::none && (is_form || lists(instruction.opcode->types, word))) {
        instruction.types.push_back(type);
      } else if (is_form || lists(instruction.opcode->modifiers, word)) {
        instruction.modifiers.add(word);
      } else {
        throw Failure{"`" + instruction.text + "`: of `" + name + "` it does not know ." +
                      std::string(word)};
      }
    }
  }

  void read_operands(Instruction& instruction) {
    skip_space();
    if (instruction.opcode->name == "bra") {
      branches_.emplace_back(program_.instructions.size(), word());
      instruction.operands.emplace_back();
    } else {
      // A conversion's constant and a shift's count are what the last type says, or near enough.
      const Type type = instruction.types.empty() ? Type::b64 : instruction.types.back();
      while (peek() != ';' && at_ < text_.size()) {
        instruction.operands.push_back(operand(type));
        if (!take(',')) break;
        skip_space();
      }
    }
    skip_space();
    if (at_ < text_.size() && peek() != '}') expect(';');
    const std::size_t count = instruction.operands.size();
    if (count < instruction.opcode->least_operands || count > instruction.opcode->most_operands)
      throw Failure{"`" + instruction.text + "` with " + std::to_string(count) + " operands"};
  }

  Operand operand(Type type) {
    Operand result;
    if (take('[')) {
      result.is_address = true;
      result.value = source(Type::u64);
      if (take('+')) {
        result.offset = static_cast<std::int64_t>(source(Type::s64).constant);
      } else if (skip_space(), peek() == '-') {
        result.offset = static_cast<std::int64_t>(source(Type::s64).constant);
      }
      if (take(',')) result.elements = vector(Type::s32);  // coordinates of a tensor map
      expect(']');
    } else if (skip_space(), peek() == '{') {
      result.elements = vector(type);
    } else {
      result.value = source(type);
      if (take('|')) result.second = source(type);
    }
    return result;
  }

  /// {a, b}
  std::vector<Source> vector(Type type) {
    std::vector<Source> elements;
    expect('{');
    do {
      elements.push_back(source(type));
    } while (take(','));
    expect('}');
    return elements;
  }

  Source source(Type type) {
    skip_space();
    Source result;
    if (take('!')) {
      result = source(type);
      result.negated = !result.negated;
      return result;
    }
    if (std::isdigit(static_cast<unsigned char>(peek())) || peek() == '-') return constant(type);
    const std::string name = word();
    if (name == "_") return result;
    if (name.size() > 1 && name[0] == '%' && std::isdigit(static_cast<unsigned char>(name[1]))) {
      const unsigned number = static_cast<unsigned>(std::atoi(name.c_str() + 1));
      if (number >= program_.operands) throw Failure{"that has no operand " + name};
      result.kind = Source::Kind::slot;
      result.slot = number;
    } else if (const auto found = registers_.find(name); found != registers_.end()) {
      result.kind = Source::Kind::slot;
      result.slot = found->second;
    } else if (const SpecialRegister special = find_special_register(name)) {
      result.kind = Source::Kind::special;
      result.special = special;
    } else {
      throw Failure{"with `" + name + "`"};
    }
    return result;
  }

  Source constant(Type type) {
    Source result;
    result.kind = Source::Kind::constant;
    std::string text;
    if (peek() == '-') text += text_[at_++];
    while (is_word(peek()) || peek() == '.' ||
           ((peek() == '-' || peek() == '+') && (text.back() == 'e' || text.back() == 'E') &&
            text.find('x') == std::string::npos))
      text += text_[at_++];
    while (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.pop_back();
    const std::string prefix = text.substr(0, 2);
    if (prefix == "0f" || prefix == "0F" || prefix == "0d" || prefix == "0D") {  // bits
      result.constant = std::strtoull(text.c_str() + 2, nullptr, 16);
    } else if (text.find('.') != std::string::npos) {
      result.constant = bits_of(std::strtod(text.c_str(), nullptr), type);
    } else {
      result.constant = text[0] == '-'
                            ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 0))
                            : std::strtoull(text.c_str(), nullptr, 0);
    }
    return result;
  }

  void resolve_branches() {
    for (const auto& [instruction, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw Failure{"that has no label `" + label + "`"};
      program_.instructions[instruction].target = found->second;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  Program program_;
  std::map<std::string, unsigned> registers_;
  std::map<std::string, int> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
};

}  // namespace

Type type_named(std::string_view name) {
  const auto found = std::find(type_names.begin() + 1, type_names.end(), name);
  return found == type_names.end() ? Type::none : static_cast<Type>(found - type_names.begin());
}

unsigned bytes_of(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::e4m3:
    case Type::e5m2:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    case Type::b128:
      return 16;
    default:
      return 4;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::tf32 || type == Type::f32 ||
         type == Type::f64;
}

Program parse(std::string_view text, unsigned operands) {
  return Parser(text, operands).run();
}

}  // namespace kata::emulator::ptx

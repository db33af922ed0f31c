#pragma once
// Inline PTX: the text of an asm statement is parsed once, when it first runs, into instructions
// that name their handlers. What the table of opcodes (ptx_opcodes.cpp) does not have is
// `unsupported`, at the statement's line.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/abi.h"
#include "emulator/runtime/memory/place.h"
#include "emulator/runtime/ptx/modifiers.h"
#include "emulator/runtime/run/warpgroups.h"

namespace kata::emulator::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
};
Type type_named(std::string_view name);  ///< none: no type's name
unsigned bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);  ///< of one value: not f16x2

struct Context;
struct Instruction;
using Run = void (*)(Context&, const Instruction&);
using SpecialRegister = std::uint64_t (*)();

/// A row of the table.
struct Opcode {
  std::string_view name;
  std::string_view modifiers;  ///< that it may have; "L2::*" stands for all that begin so
  std::string_view types;      ///< that it may have
  unsigned least_operands, most_operands;
  Run run;
  std::string_view meaning;
};
const Opcode* find_opcode(std::string_view name);
/// A row of the table of forms, whose name is a pattern of the whole instruction.
const Opcode* find_form(std::string_view instruction);
/// Why the emulator lacks an instruction, where that can be said: "TMA is ...".
std::string_view reason_for_lack(std::string_view instruction);
SpecialRegister find_special_register(std::string_view name);

/// A register, a constant or a special register.
struct Source {
  enum class Kind : std::uint8_t { slot, constant, special, sink } kind = Kind::sink;
  bool negated = false;  ///< !p
  unsigned slot = 0;
  std::uint64_t constant = 0;
  SpecialRegister special = nullptr;
};

struct Operand {
  Source value;
  Source second = {};                 ///< of d|p
  std::vector<Source> elements = {};  ///< of {a, b}
  std::int64_t offset = 0;            ///< of [a + 16]
  bool is_address = false;
};

struct Instruction {
  const Opcode* opcode = nullptr;
  std::string text;  ///< "ld.global.nc.f32"
  Modifiers modifiers;
  std::vector<Type> types;
  std::vector<Operand> operands;
  Source guard = {};                      ///< @p; a sink: always
  int target = -1;                        ///< of a branch
  std::optional<MatrixForm> matrix = {};  ///< of wgmma.mma_async

  bool has(Modifier modifier) const { return modifiers.has(modifier); }
  /// Its address is one of shared memory's window.
  bool in_shared() const { return has("shared") || has("shared::cluster"); }
  Type type() const { return types.empty() ? Type::none : types.front(); }
};

struct Program {
  std::vector<Instruction> instructions;
  unsigned operands = 0;  ///< %0, %1, ...: the first slots
  unsigned slots = 0;
  std::vector<bool> is_result;  ///< by operand: D of a wgmma, which is written at a wait
  std::string problem;          ///< why it cannot be run, if it cannot
};
inline constexpr unsigned most_slots = 192;
Program parse(std::string_view text, unsigned operands);

/// One execution by one thread. Registers hold their bits in the low end.
struct Context {
  std::uint64_t* slots;
  const unsigned long long* operands;  ///< of a statement with wgmma, as the module gives them
  const void* code;                    ///< address that the asm statement returns to
  Place place;                         ///< its file and line
  int next = 0;                        ///< instruction

  std::uint64_t bits(const Source& source) const {
    if (source.kind == Source::Kind::slot)
      return source.negated ? slots[source.slot] == 0 : slots[source.slot];
    return source.kind == Source::Kind::special ? source.special() : source.constant;
  }
  void set_bits(const Source& target, std::uint64_t value) {
    if (target.kind == Source::Kind::slot) slots[target.slot] = value;
  }
  template <class T>
  T get(const Source& source) const {
    const std::uint64_t value = bits(source);
    T result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  }
  template <class T>
  T get(const Instruction& i, unsigned operand) const {
    return get<T>(i.operands[operand].value);
  }
  template <class T>
  void set(const Source& target, T value) {
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    set_bits(target, result);
  }
  template <class T>
  void set(const Instruction& i, T value) {
    set(i.operands[0].value, value);
  }
  /// The address in an operand like [a + 16], as the host knows it.
  std::uintptr_t address(const Instruction& i, unsigned operand, bool in_shared) const;
  [[noreturn]] void unsupported(const Instruction& i) const;
};

// ---- handlers, by file

// ptx_arithmetic.cpp
void add(Context&, const Instruction&);
void sub(Context&, const Instruction&);
void mul(Context&, const Instruction&);
void mad(Context&, const Instruction&);
void fma(Context&, const Instruction&);
void div(Context&, const Instruction&);
void rem(Context&, const Instruction&);
void min(Context&, const Instruction&);
void max(Context&, const Instruction&);
void abs(Context&, const Instruction&);
void neg(Context&, const Instruction&);
void ex2(Context&, const Instruction&);
void lg2(Context&, const Instruction&);
void rcp(Context&, const Instruction&);
void sqrt(Context&, const Instruction&);
void rsqrt(Context&, const Instruction&);
void sin(Context&, const Instruction&);
void cos(Context&, const Instruction&);
void tanh(Context&, const Instruction&);

// ptx_bits.cpp
void mov(Context&, const Instruction&);
void setp(Context&, const Instruction&);
void selp(Context&, const Instruction&);
void and_(Context&, const Instruction&);
void or_(Context&, const Instruction&);
void xor_(Context&, const Instruction&);
void not_(Context&, const Instruction&);
void shl(Context&, const Instruction&);
void shr(Context&, const Instruction&);
void shf(Context&, const Instruction&);
void popc(Context&, const Instruction&);
void clz(Context&, const Instruction&);
void brev(Context&, const Instruction&);
void bfind(Context&, const Instruction&);
void bfe(Context&, const Instruction&);
void bfi(Context&, const Instruction&);
void prmt(Context&, const Instruction&);
void lop3(Context&, const Instruction&);
void dp4a(Context&, const Instruction&);
void vabsdiff4(Context&, const Instruction&);

// ptx_convert.cpp
void cvt(Context&, const Instruction&);
void cvta(Context&, const Instruction&);
void isspacep(Context&, const Instruction&);

// ptx_memory.cpp
void ld(Context&, const Instruction&);
void st(Context&, const Instruction&);
void atom(Context&, const Instruction&);
void red(Context&, const Instruction&);
void cp(Context&, const Instruction&);
void fence(Context&, const Instruction&);
void griddepcontrol(Context&, const Instruction&);
void no_effect(Context&, const Instruction&);

// ptx_warp.cpp
void shfl(Context&, const Instruction&);
void vote(Context&, const Instruction&);
void match(Context&, const Instruction&);
void redux(Context&, const Instruction&);
void movmatrix(Context&, const Instruction&);
void activemask(Context&, const Instruction&);
void bar(Context&, const Instruction&);
void barrier(Context&, const Instruction&);
void mapa(Context&, const Instruction&);
void getctarank(Context&, const Instruction&);
void elect(Context&, const Instruction&);
void setmaxnreg(Context&, const Instruction&);
void bra(Context&, const Instruction&);
void nanosleep(Context&, const Instruction&);
void trap(Context&, const Instruction&);
void exit_thread(Context&, const Instruction&);

// ptx_matrix.cpp
void ldmatrix(Context&, const Instruction&);
void stmatrix(Context&, const Instruction&);
void mma(Context&, const Instruction&);

// wgmma.cpp
void wgmma(Context&, const Instruction&);
/// Of wgmma.mma_async; none if PTX has no such one.
std::optional<MatrixForm> matrix_form(const Instruction&);

// ptx_mbarrier.cpp
void mbarrier_init(Context&, const Instruction&);
void mbarrier_inval(Context&, const Instruction&);
void mbarrier_expect_tx(Context&, const Instruction&);
void mbarrier_complete_tx(Context&, const Instruction&);
void mbarrier_arrive(Context&, const Instruction&);
void mbarrier_wait(Context&, const Instruction&);
void mbarrier_pending_count(Context&, const Instruction&);
void cp_async_mbarrier_arrive(Context&, const Instruction&);
void fence_proxy_async(Context&, const Instruction&);

// ptx_bulk.cpp
void bulk_load(Context&, const Instruction&);
void bulk_send(Context&, const Instruction&);
void bulk_store(Context&, const Instruction&);
void bulk_reduce(Context&, const Instruction&);
void store_async(Context&, const Instruction&);
void reduce_async(Context&, const Instruction&);
void bulk_commit(Context&, const Instruction&);
void bulk_wait(Context&, const Instruction&);
void tensor_load(Context&, const Instruction&);
void tensor_store(Context&, const Instruction&);
void tensor_reduce(Context&, const Instruction&);

}  // namespace kata::emulator::ptx

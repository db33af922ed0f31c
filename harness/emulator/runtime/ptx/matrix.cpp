// PTX matrix instructions. The layouts are those of the PTX ISA's figures for mma.m16n8k*: with
// group = lane / 4 and place = lane % 4, and n elements in a register,
//   A: register r, element e: row group + 8 (r % 2), column (r / 2) 4n + place n + e
//   B: register r, element e: row r 4n + place n + e, column group
//   C, D: value i:            row group + 8 (i / 2), column 2 place + i % 2

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/ptx/values.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator::ptx {
namespace {

/// A lane's part in an instruction of the whole warp.
struct Part : Collective {
  Context* context;
  const Instruction* instruction;
  std::uintptr_t row = 0;  ///< of ldmatrix and stmatrix
};

void meet(Context& c, const Instruction& i, void (*run)(Collective* const*), std::uintptr_t row) {
  Part part{{run}, &c, &i, row};
  Scheduler::meet_warp(WarpOp::collective, ~0u, reinterpret_cast<std::uintptr_t>(&part), 0, 32,
                       c.code);
}

Part* part_of(Collective* const* lanes, unsigned lane) {
  return static_cast<Part*>(lanes[lane]);
}

const Part& any_part(Collective* const* lanes) {
  while (!*lanes) ++lanes;
  return *static_cast<const Part*>(*lanes);
}

std::uint32_t register_of(const Part& part, unsigned operand, unsigned r) {
  const Operand& o = part.instruction->operands[operand];
  return part.context->get<std::uint32_t>(o.elements.empty() ? o.value : o.elements[r]);
}

void set_register(const Part& part, unsigned operand, unsigned r, std::uint32_t value) {
  const Operand& o = part.instruction->operands[operand];
  part.context->set(o.elements.empty() ? o.value : o.elements[r], value);
}

unsigned registers_in(const Operand& operand) {
  return operand.elements.empty() ? 1 : static_cast<unsigned>(operand.elements.size());
}

// ---- ldmatrix, stmatrix

unsigned matrices(const Instruction& i) {
  return i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
}

/// Where two neighbouring elements of a lane lie, in the matrices' rows of 8.
struct Pair {
  unsigned row[2], column[2];
};
Pair pair_of(unsigned lane, bool transposed) {
  const unsigned group = lane / 4, place = lane % 4 * 2;
  if (transposed) return {{place, place + 1}, {group, group}};
  return {{group, group}, {place, place + 1}};
}

template <bool loads>
void move_matrices(Collective* const* lanes) {
  const Instruction& i = *any_part(lanes).instruction;
  const unsigned operand = loads ? 0 : 1;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Pair pair = pair_of(lane, i.has("trans"));
    for (unsigned m = 0; lanes[lane] && m < matrices(i); ++m) {
      std::uint32_t both = loads ? 0 : register_of(*part_of(lanes, lane), operand, m);
      for (unsigned e = 0; e < 2; ++e) {
        const Part* owner = part_of(lanes, m * 8 + pair.row[e]);
        if (!owner) continue;
        auto* element = reinterpret_cast<std::uint16_t*>(owner->row) + pair.column[e];
        if (loads) {
          both |= static_cast<std::uint32_t>(*element) << 16 * e;
        } else {
          *element = static_cast<std::uint16_t>(both >> 16 * e);
        }
      }
      if (loads) set_register(*part_of(lanes, lane), operand, m, both);
    }
  }
}

template <bool loads>
void matrix_rows(Context& c, const Instruction& i) {
  const unsigned address = loads ? 1 : 0;
  if (registers_in(i.operands[1 - address]) != matrices(i)) c.unsupported(i);
  std::uintptr_t row = 0;
  if (running.thread->lane < 8 * matrices(i)) {
    row = c.address(i, address, true);
    constexpr Access access = loads ? Access::read : Access::write;
    if (row % 16 != 0)
      end_at_misaligned(row, 16, access, c.code,
                        loads ? AccessedBy::ldmatrix : AccessedBy::stmatrix);
    if (running.trace)
      record_step(AccessKind::by_matrix, 4, row - running.shared_low, true, c.code);
    check_access<16, access>(row, c.code);
  }
  meet(c, i, &move_matrices<loads>, row);
}

// ---- mma

/// A 16 x 8 product of matrices of depth k, and how its elements lie in registers. For sm_90a,
/// ptxas makes products of halves of those of FP8: their sums are not short, as wgmma's are.
struct Shape {
  Type a, b, c, d;
  unsigned k;
  unsigned per_register;
};

Shape shape_of(const Instruction& i) {
  Shape shape{i.types[1], i.types[2], i.types[3], i.types[0], 0, 0};
  static constexpr struct {
    Modifier modifier;
    unsigned k;
  } depths[] = {{"m16n8k4", 4}, {"m16n8k8", 8}, {"m16n8k16", 16}, {"m16n8k32", 32}};
  for (const auto& [modifier, k] : depths) {
    if (i.has(modifier)) shape.k = k;
  }
  shape.per_register = shape.a == Type::tf32 ? 1 : bytes_of(shape.a) == 1 ? 4 : 2;
  return shape;
}

bool is_fp8(Type type) {
  return type == Type::e4m3 || type == Type::e5m2;
}

bool is_known(const Instruction& i) {
  if (i.types.size() != 4 || i.has("col") != i.has("row")) return false;
  const Shape s = shape_of(i);
  const bool bytes = s.a == Type::s8 || s.a == Type::u8;
  const bool half = s.a == Type::f16 && s.b == Type::f16;
  if (bytes) {
    if (s.c != Type::s32 || s.d != Type::s32 || (s.b != Type::s8 && s.b != Type::u8)) return false;
  } else if (is_fp8(s.a)) {
    if (!is_fp8(s.b) || s.c != Type::f32 || s.d != Type::f32 || s.k != 32) return false;
  } else if (s.a != s.b || s.a == Type::f32 || s.a == Type::s32) {
    return false;
  } else if (!(s.c == Type::f32 && s.d == Type::f32) &&
             !(half && s.c == Type::f16 && s.d == Type::f16)) {
    return false;
  }
  const unsigned a = s.k / (2 * s.per_register), b = a / 2, c = s.c == Type::f16 ? 2 : 4;
  return b > 0 && b <= 2 && registers_in(i.operands[0]) == c && registers_in(i.operands[1]) == a &&
         registers_in(i.operands[2]) == b && registers_in(i.operands[3]) == c;
}

MatrixElement profiled_element(Type type) {
  switch (type) {
    case Type::f16:
      return MatrixElement::f16;
    case Type::bf16:
      return MatrixElement::bf16;
    case Type::s8:
      return MatrixElement::s8;
    case Type::u8:
      return MatrixElement::u8;
    case Type::e4m3:
      return MatrixElement::e4m3;
    case Type::e5m2:
      return MatrixElement::e5m2;
    default:
      return MatrixElement::tf32;
  }
}

double element(std::uint32_t bits, unsigned e, Type type) {
  switch (type) {
    case Type::tf32:
      return truncated_to_tf32(std::bit_cast<float>(bits));
    case Type::s8:
      return static_cast<std::int8_t>(bits >> 8 * e);
    case Type::u8:
      return static_cast<std::uint8_t>(bits >> 8 * e);
    case Type::e4m3:
      return float_from_e4m3(static_cast<std::uint8_t>(bits >> 8 * e));
    case Type::e5m2:
      return float_from_e5m2(static_cast<std::uint8_t>(bits >> 8 * e));
    default:
      return float_from_narrow(static_cast<std::uint16_t>(bits >> 16 * e), type);
  }
}

struct Matrices {
  double a[16][32], b[32][8], sum[16][8];
};

void gather(Matrices& all, const Shape& shape, const Part& part, unsigned lane) {
  const unsigned n = shape.per_register, group = lane / 4, place = lane % 4;
  for (unsigned r = 0; r < shape.k / (2 * n); ++r) {
    const std::uint32_t bits = register_of(part, 1, r);
    for (unsigned e = 0; e < n; ++e)
      all.a[group + 8 * (r % 2)][r / 2 * 4 * n + place * n + e] = element(bits, e, shape.a);
  }
  for (unsigned r = 0; r < shape.k / (4 * n); ++r) {
    const std::uint32_t bits = register_of(part, 2, r);
    for (unsigned e = 0; e < n; ++e)
      all.b[r * 4 * n + place * n + e][group] = element(bits, e, shape.b);
  }
}

/// D = C + sum, of one lane.
void add_up(const Matrices& all, const Shape& shape, const Part& part, unsigned lane) {
  const auto sum = [&](unsigned value) {
    return all.sum[lane / 4 + 8 * (value / 2)][lane % 4 * 2 + value % 2];
  };
  for (unsigned i = 0; i < 4; ++i) {
    if (shape.c == Type::f32) {
      const auto c = std::bit_cast<float>(register_of(part, 3, i));
      set_register(part, 0, i, std::bit_cast<std::uint32_t>(static_cast<float>(c + sum(i))));
    } else if (shape.c == Type::s32) {
      const auto products = static_cast<std::uint32_t>(static_cast<std::int64_t>(sum(i)));
      set_register(part, 0, i, register_of(part, 3, i) + products);
    } else if (i % 2 == 0) {
      const std::uint32_t c = register_of(part, 3, i / 2);
      std::uint32_t both = 0;
      for (unsigned e = 0; e < 2; ++e) {
        const float value = float_from_half(static_cast<std::uint16_t>(c >> 16 * e));
        both |= static_cast<std::uint32_t>(half_from_float(static_cast<float>(value + sum(i + e))))
                << 16 * e;
      }
      set_register(part, 0, i / 2, both);
    }
  }
}

void multiply_fragments(Collective* const* lanes) {
  const Shape shape = shape_of(*any_part(lanes).instruction);
  static thread_local Matrices all;
  all = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes[lane]) gather(all, shape, *part_of(lanes, lane), lane);
  }
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned k = 0; k < shape.k; ++k) {
      for (unsigned column = 0; column < 8; ++column)
        all.sum[row][column] += all.a[row][k] * all.b[k][column];
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes[lane]) add_up(all, shape, *part_of(lanes, lane), lane);
  }
}

}  // namespace

void ldmatrix(Context& c, const Instruction& i) {
  matrix_rows<true>(c, i);
}

void stmatrix(Context& c, const Instruction& i) {
  matrix_rows<false>(c, i);
}

void mma(Context& c, const Instruction& i) {
  if (!is_known(i)) c.unsupported(i);
  meet(c, i, &multiply_fragments, 0);
  const Shape shape = shape_of(i);
  profile_product(profiled_element(shape.a), std::uint64_t{16} * 8 * shape.k);
}

}  // namespace kata::emulator::ptx

// wgmma: matrix products of a warpgroup (PTX ISA 9.7.15). With group = lane / 4, place = lane % 4
// and n elements in a register,
//   D: value i:                row 16 warp + group + 8 (i / 2 % 2), column 8 (i / 4) + 2 place + i
//   % 2 A: register r, element e:  row 16 warp + group + 8 (r % 2), column (r / 2) 4n + place n + e

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/async_proxy.h"
#include "emulator/runtime/kernel/narrow_floats.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/ptx/wgmma_descriptor.h"
#include "emulator/runtime/ptx/wgmma_product.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator::ptx {
namespace {

/// What a register holds between issue and wait: NaN as a float and as two halves.
constexpr std::uint32_t poison = 0x7fff7fff;

// ---- the instruction's text

std::optional<MatrixElement> matrix_element(Type type) {
  switch (type) {
    case Type::f16:
      return MatrixElement::f16;
    case Type::bf16:
      return MatrixElement::bf16;
    case Type::tf32:
      return MatrixElement::tf32;
    case Type::f32:
      return MatrixElement::f32;
    case Type::s8:
      return MatrixElement::s8;
    case Type::u8:
      return MatrixElement::u8;
    case Type::s32:
      return MatrixElement::s32;
    case Type::e4m3:
      return MatrixElement::e4m3;
    case Type::e5m2:
      return MatrixElement::e5m2;
    default:
      return std::nullopt;
  }
}

bool is_byte_float(MatrixElement type) {
  return type == MatrixElement::e4m3 || type == MatrixElement::e5m2;
}
bool is_byte_integer(MatrixElement type) {
  return type == MatrixElement::s8 || type == MatrixElement::u8;
}
bool is_16_bits(MatrixElement type) {
  return type == MatrixElement::f16 || type == MatrixElement::bf16;
}

/// Whether PTX multiplies these types.
bool has_types(const MatrixForm& form) {
  if (is_byte_integer(form.a)) return is_byte_integer(form.b) && form.d == MatrixElement::s32;
  const bool to_float = form.d == MatrixElement::f32, to_half = form.d == MatrixElement::f16;
  if (is_byte_float(form.a)) return is_byte_float(form.b) && (to_float || to_half);
  if (form.a != form.b) return false;
  if (form.a == MatrixElement::f16) return to_float || to_half;
  return (form.a == MatrixElement::bf16 || form.a == MatrixElement::tf32) && to_float;
}

bool has_columns(const MatrixForm& form) {
  if (form.n < 8 || form.n > 256 || form.n % 8 != 0) return false;
  return !is_byte_integer(form.a) || form.n == 8 || form.n == 24 || form.n % 16 == 0;
}

/// Behind D, A and B: scale-d, two scales but for integers, transpositions of 16-bit types alone.
std::size_t operands_of(const MatrixForm& form) {
  if (is_byte_integer(form.a)) return 4;
  if (!is_16_bits(form.a)) return 6;
  return form.a_in_registers ? 7 : 8;
}

// ---- a thread's registers

/// Where value i of D lies, and element e of register r of A.
struct Position {
  unsigned row, column;
};
Position position_of(unsigned i) {
  const unsigned id = running.thread->id % warpgroup_threads, lane = id % 32;
  return {id / 32 * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

/// Calls f(register, number of its value, value in the matrix) for each value of D.
template <class F>
void for_each_value(const MatrixForm& form, MatrixValues& values, const F& f) {
  const unsigned each = form.d == MatrixElement::f16 ? 2 : 1;
  for (unsigned i = 0; i < form.n / 2; ++i) {
    const Position at = position_of(i);
    f(i / each, i % each, values[at.row * form.n + at.column]);
  }
}

void read_registers(const RegistersInFlight& registers) {
  const bool halves = registers.form.d == MatrixElement::f16;
  for_each_value(
      registers.form, *registers.values, [&](unsigned r, unsigned part, std::uint32_t& value) {
        const std::uint32_t bits = *registers.at[r];
        value = halves ? std::bit_cast<std::uint32_t>(
                             float_from_half(static_cast<std::uint16_t>(bits >> 16 * part)))
                       : bits;
      });
}

/// Registers that hold something else by now are no longer those of D.
void write_registers(const RegistersInFlight& registers) {
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto is_there = [&](unsigned r) {
    return reinterpret_cast<std::uintptr_t>(registers.at[r]) > stack && *registers.at[r] == poison;
  };
  std::array<std::uint32_t, 128> results{};
  const bool halves = registers.form.d == MatrixElement::f16;
  for_each_value(
      registers.form, *registers.values, [&](unsigned r, unsigned part, std::uint32_t value) {
        results[r] |= halves
                          ? static_cast<std::uint32_t>(half_from_float(std::bit_cast<float>(value)))
                                << 16 * part
                          : value;
      });
  for (unsigned r = 0; r < registers.form.registers(); ++r) {
    if (is_there(r)) *registers.at[r] = results[r];
  }
}

void read_a(Context& c, const Instruction& i, MatrixOperation& operation) {
  const MatrixForm& form = operation.issue.form;
  const unsigned each = elements_in_16_bytes(form.a) / 4;  // in a register
  const unsigned id = running.thread->id % warpgroup_threads, lane = id % 32;
  operation.a.resize(std::size_t{wgmma_rows} * form.k);
  double elements[16];
  std::uint32_t bits[4];
  for (unsigned r = 0; r < 4; ++r) bits[r] = c.get<std::uint32_t>(i.operands[1].elements[r]);
  decode(form.a, bits, elements);
  for (unsigned r = 0; r < 4; ++r) {
    const unsigned row = id / 32 * 16 + lane / 4 + r % 2 * 8;
    const unsigned column = r / 2 * 4 * each + lane % 4 * each;
    for (unsigned e = 0; e < each; ++e)
      operation.a[row * form.k + column + e] = elements[r * each + e];
  }
}

// ---- issue

void note(Context& c, const Fault& fault) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.incidents().add(scheduler.incident(before(c.code), fault));
}

[[noreturn]] void end_at(Context& c, const Fault& fault, int error = cudaErrorLaunchFailure) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.abort(scheduler.incident(before(c.code), fault), error);
}

MatrixIssue issue_of(Context& c, const Instruction& i) {
  MatrixIssue issue{*i.matrix, 0, c.get<std::uint64_t>(i, 2), false, false, false, false};
  if (!issue.form.a_in_registers) issue.a = c.get<std::uint64_t>(i, 1);
  issue.adds = c.bits(i.operands[3].value) != 0;
  if (is_byte_integer(issue.form.a)) return issue;
  issue.negates = c.get<std::int32_t>(i, 4) * c.get<std::int32_t>(i, 5) < 0;
  if (!is_16_bits(issue.form.a)) return issue;
  unsigned next = 6;
  if (!issue.form.a_in_registers) issue.a_transposed = c.bits(i.operands[next++].value) != 0;
  issue.b_transposed = c.bits(i.operands[next].value) != 0;
  return issue;
}

/// The first of the threads issues it: its matrices are read from now on.
MatrixOperation& begin(Context& c, Warpgroup& group, const MatrixIssue& issue) {
  MatrixOperation& operation = group.add(issue, c.code);
  if (!running.is_checked) return operation;
  std::vector<SharedRange> ranges;
  const auto add = [&](const DescribedMatrix& matrix) {
    const std::vector<std::uintptr_t> cells = cells_of(matrix);
    check_swizzle(cells, swizzle_span(matrix.descriptor), c.code);
    add_ranges(cells, ranges);
  };
  if (!issue.form.a_in_registers) add(matrix_a(issue));
  add(matrix_b(issue));
  operation.read = begin_async_read(Access::matrix_read, std::move(ranges), c.code);
  group.reads.push_back(operation.read);
  return operation;
}

/// Its part of D is on its way from now on.
void take_registers(Context& c, const Instruction& i, Warpgroup::Member& me,
                    MatrixOperation& operation) {
  const MatrixForm& form = operation.issue.form;
  RegistersInFlight registers{nullptr, form, {}, me.issued, c.code};
  for (unsigned r = 0; r < form.registers(); ++r)
    registers.at[r] = reinterpret_cast<std::uint32_t*>(c.operands[i.operands[0].elements[r].slot]);
  registers.find_bounds();
  RegistersInFlight* const known = me.in_flight(registers.at[0]);
  if (known && (known->at != registers.at || known->form.d != form.d))
    end_at(c, MatrixRegistersTaken{before(known->code)});
  if (!operation.values)
    operation.values =
        known ? known->values : std::make_shared<MatrixValues>(std::size_t{wgmma_rows} * form.n);
  if (known) {
    known->last = me.issued;
    return;
  }
  registers.values = operation.values;
  if (operation.issue.adds) read_registers(registers);
  for (unsigned r = 0; r < form.registers(); ++r) *registers.at[r] = poison;
  me.registers.push_back(std::move(registers));
  running.scheduler->watch_locals(true);
  unsigned needed = 0;
  for (const RegistersInFlight& one : me.registers) needed += one.form.registers();
  const unsigned has = running.scheduler->block().registers().held();
  if (needed > has) end_at(c, RegistersExceeded{needed, has}, cudaErrorLaunchOutOfResources);
}

void compute(MatrixOperation& operation) {
  static thread_local std::vector<double> a, b;
  const MatrixIssue& issue = operation.issue;
  if (!issue.form.a_in_registers) load_rows(matrix_a(issue), a);
  load_packed(matrix_b(issue), b);
  multiply_matrices(issue, issue.form.a_in_registers ? operation.a.data() : a.data(), b.data(),
                    *operation.values);
}

void mma_async(Context& c, const Instruction& i) {
  Scheduler& scheduler = *running.scheduler;
  const unsigned id = running.thread->id;
  if (scheduler.launch().threads_per_block < id / warpgroup_threads * warpgroup_threads + 128)
    end_at(c, WarpgroupIncomplete{scheduler.launch().threads_per_block});
  running.quantum -= spin_price;
  Warpgroup& group = scheduler.block().warpgroups().mine();
  Warpgroup::Member& me = group.me();
  if (!me.has_fenced && me.issued == 0) note(c, MatrixNotFenced{});
  const MatrixIssue issue = issue_of(c, i);
  MatrixOperation* operation = group.next();
  if (!operation) {
    operation = &begin(c, group, issue);
  } else if (operation->issue != issue) {
    end_at(c, MatrixDiffers{before(operation->code), operation->thread});
  }
  take_registers(c, i, me, *operation);
  if (issue.form.a_in_registers) read_a(c, i, *operation);
  ++me.issued;
  const bool is_last = ++operation->issued == warpgroup_threads;
  profile_wgmma(issue.form.a, std::uint64_t{wgmma_rows} * issue.form.n * issue.form.k, is_last);
  if (!is_last) return;
  compute(*operation);
  group.complete();
  scheduler.block().release_meeting(reinterpret_cast<std::uintptr_t>(&group));
}

// ---- wait

void commit(Warpgroup::Member& me) {
  me.groups.push_back(me.committed = me.issued);
}

/// All groups of the running thread but the latest ones are complete.
void wait(Context& c, unsigned groups_left) {
  Scheduler& scheduler = *running.scheduler;
  Warpgroup& group = scheduler.block().warpgroups().mine();
  Warpgroup::Member& me = group.me();
  if (me.groups.size() <= groups_left) return;
  const std::size_t over = me.groups.size() - groups_left;
  const std::uint64_t end = me.groups[over - 1];
  me.groups.erase(me.groups.begin(), me.groups.begin() + static_cast<std::ptrdiff_t>(over));
  while (group.completed() < end) {
    scheduler.block().arrive_at_meeting(*running.thread, reinterpret_cast<std::uintptr_t>(&group),
                                        WaitsAt::warpgroup, before(c.code));
    scheduler.wait();
  }
  const unsigned number = running.thread->id / warpgroup_threads;
  while (const auto operation = group.take(end)) {
    if (operation->read) end_matrix_read(operation->read, number);
  }
  for (; running.is_checked && me.waited < end; ++me.waited)
    wait_for_matrix_read(group.reads[me.waited]);
  std::erase_if(me.registers, [&](const RegistersInFlight& registers) {
    if (registers.last >= end) return false;
    write_registers(registers);
    return true;
  });
  if (me.registers.empty()) scheduler.watch_locals(false);
  me.has_fenced = false;
}

}  // namespace

std::optional<MatrixForm> matrix_form(const Instruction& i) {
  if (i.types.size() != 3 || i.operands.size() < 4) return std::nullopt;
  const auto d = matrix_element(i.types[0]), a = matrix_element(i.types[1]),
             b = matrix_element(i.types[2]);
  const std::size_t shape = i.text.find(".m64n");
  if (!d || !a || !b || shape == std::string::npos || !i.has("sync") || !i.has("aligned"))
    return std::nullopt;
  const std::size_t in_registers = i.operands[1].elements.size();
  MatrixForm form{*d, *a, *b, 0, elements_in_16_bytes(*a) * 2, false, false};
  form.n = static_cast<unsigned>(std::atoi(i.text.c_str() + shape + 5));
  form.a_in_registers = in_registers > 0;
  form.saturates = i.has("satfinite");
  if (!has_types(form) || !has_columns(form) || (form.saturates && !is_byte_integer(form.a)) ||
      i.text.substr(shape + 1, i.text.find('.', shape + 1) - shape - 1) !=
          "m64n" + std::to_string(form.n) + "k" + std::to_string(form.k) ||
      i.operands[0].elements.size() != form.registers() ||
      (in_registers != 0 && in_registers != 4) || i.operands.size() != operands_of(form))
    return std::nullopt;
  return form;
}

void wgmma(Context& c, const Instruction& i) {
  if (i.matrix) return mma_async(c, i);
  Warpgroup::Member& me = running.scheduler->block().warpgroups().mine().me();
  if (i.has("fence")) {
    me.has_fenced = true;
  } else if (i.has("commit_group")) {
    commit(me);
  } else if (i.has("wait_group") && i.operands.size() == 1) {
    wait(c, c.get<std::uint32_t>(i, 0));
  } else {
    c.unsupported(i);
  }
}

}  // namespace kata::emulator::ptx

// An asm statement of a kernel, run by one thread.

#include "emulator/runtime/ptx/ptx.h"

#include <algorithm>
#include <mutex>

#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

/// Parsed when a thread first comes to it, and kept: sites live as long as their module.
const Program& program_of(PtxSite& site, unsigned operands) {
  if (const void* known = __atomic_load_n(&site.program, __ATOMIC_ACQUIRE))
    return *static_cast<const Program*>(known);
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!site.program) {
    const auto* program = new Program(parse(site.text, operands));
    __atomic_store_n(&site.program, static_cast<const void*>(program), __ATOMIC_RELEASE);
  }
  return *static_cast<const Program*>(site.program);
}

void run(const Program& program, Context& c) {
  const int count = static_cast<int>(program.instructions.size());
  while (c.next < count) {
    const Instruction& instruction = program.instructions[static_cast<std::size_t>(c.next++)];
    const Source& guard = instruction.guard;
    if (guard.kind == Source::Kind::sink || c.bits(guard) != 0)
      instruction.opcode->run(c, instruction);
  }
}

}  // namespace

void Context::unsupported(const Instruction& i) const {
  // Kept for the finding: the text of an event is a literal.
  static thread_local std::string text;
  text = "inline PTX `" + i.text + "` with these operands and types";
  __kata_unsupported(text.c_str(), place.file, place.line);
  __builtin_unreachable();
}

}  // namespace kata::emulator::ptx

using namespace kata::emulator;

namespace {

const ptx::Program& runnable(PtxSite& site, int operands) {
  const ptx::Program& program = ptx::program_of(site, static_cast<unsigned>(operands));
  if (!running.thread) __kata_unsupported("inline PTX on the host", site.file, site.line);
  if (!program.problem.empty()) __kata_unsupported(program.problem.c_str(), site.file, site.line);
  return program;
}

}  // namespace

void __kata_ptx(PtxSite* site, unsigned long long* values, int count) {
  const ptx::Program& program = runnable(*site, count);
  if (!running.thread) return;
  std::uint64_t slots[ptx::most_slots];
  // Few words as a rule: a compiler would call memcpy() for them.
  const auto copy = [&](auto* to, const auto* from) {
    for (int i = 0; i < count; ++i) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
  };
  copy(slots, values);
  for (unsigned i = program.operands; i < program.slots; ++i) slots[i] = 0;
  ptx::Context context{
      slots, nullptr, __builtin_return_address(0), {nullptr, site->file, site->line}};
  ptx::run(program, context);
  copy(values, slots);
}

void __kata_ptx_in_place(PtxSite* site, const unsigned long long* operands,
                         const unsigned char* sizes, int count, const void* code) {
  const ptx::Program& program = runnable(*site, count);
  if (!running.thread) return;
  std::uint64_t slots[ptx::most_slots];
  std::fill_n(slots, program.slots, 0);
  for (unsigned i = 0; i < program.operands; ++i) {
    if (sizes[i] == 0) {
      slots[i] = operands[i];
    } else if (!program.is_result[i]) {
      std::memcpy(&slots[i], reinterpret_cast<const void*>(operands[i]), sizes[i]);
    }
  }
  ptx::Context context{slots, operands, code, {nullptr, site->file, site->line}};
  ptx::run(program, context);
  for (unsigned i = 0; i < program.operands; ++i) {
    if (sizes[i] > 0 && !program.is_result[i])
      std::memcpy(reinterpret_cast<void*>(operands[i]), &slots[i], sizes[i]);
  }
}

unsigned __kata_shared_address(const void* pointer) {
  return running.thread ? to_shared_window(reinterpret_cast<std::uintptr_t>(pointer)) : 0;
}

void* __kata_shared_pointer(unsigned long long address) {
  if (!running.thread) return nullptr;
  return reinterpret_cast<void*>(from_shared_window(static_cast<unsigned>(address)));
}

int __kata_is_shared(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - running.shared_low < shared_span;
}

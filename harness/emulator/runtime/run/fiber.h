#pragma once
// Fibers: one stack per CUDA thread that is under way. A fiber never moves to another OS thread.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace kata::emulator {

inline constexpr std::size_t fiber_stack_bytes = 576 << 10;
inline constexpr std::size_t guard_bytes = 4096;

#ifdef __x86_64__
/// Leaves the running stack, to which *from leads back from then on, and goes on at `to`. In place
/// and not a call: then calls and returns come in pairs, and a processor foresees where the next
/// return leads, which another fiber has called for. Who calls this calls other functions, too, so
/// that no variables lie below the end of its stack. Rounding modes are not kept: what changes one
/// changes it back before it waits.
inline __attribute__((always_inline)) void switch_stacks(void** from, void* to) {
  __asm__ volatile(
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%[from])\n\t"
      "movq %[to], %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbp"
      : [from] "+D"(from), [to] "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#else
void switch_stacks(void** from, void* to);
#endif

struct Fiber {
  void* context = nullptr;  ///< where it goes on; null: not begun
  std::uintptr_t stack_low = 0;
  bool guarded = true;  ///< a page without access lies below the stack
};

/// The fibers of one OS thread, and the context that it came from (`main`). What is left of their
/// memory is never given back: a candidate may end the process from any of them.
class Fibers {
 public:
  using Body = void (*)();  ///< never returns

  explicit Fibers(Body body) : body_(body) {}
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  Fiber* take();
  void put_back(Fiber* fiber) { idle_.push_back(fiber); }

  /// Goes on in `to`; returns when somebody switches back to the fiber that called this.
  void switch_to(Fiber* to) {
    Fiber* const from = active_;
    active_ = to;
    if (!to->context) [[unlikely]]
      begin(to);
    switch_stacks(&from->context, to->context);
  }

  /// Makes every fiber idle and not begun. Called in `main`.
  void reset();

  /// Gives most stacks back, if none is in use. Without this each OS thread of a machine with many
  /// cores would keep those of the most blocks that it ever had.
  void keep_few();

  /// As reset() from within a fiber: goes on in `main`.
  [[noreturn]] void abandon_all();

  Fiber* main() { return &main_; }
  Fiber* active() const { return active_; }

  /// Whether this address lies in some fiber's stack.
  bool holds(std::uintptr_t address) const;

  /// Whether this address is in the guard page of the active fiber.
  bool is_guard(std::uintptr_t address) const {
    return active_ != &main_ && active_->guarded && active_->stack_low - 1 - address < guard_bytes;
  }

  /// False once a fiber without a guard page has left its stack.
  static bool stack_intact(const Fiber& fiber) { return fiber.guarded || canary_intact(fiber); }

 private:
  static bool canary_intact(const Fiber& fiber);
  void make_more();
  void begin(Fiber* fiber);

  struct Mapping {
    void* low;
    std::size_t bytes;
  };

  Body body_;
  Fiber main_;
  Fiber* active_ = &main_;
  std::deque<Fiber> all_;
  std::vector<Fiber*> idle_;
  std::vector<Mapping> mappings_;
  unsigned begun_ = 0;
};

}  // namespace kata::emulator

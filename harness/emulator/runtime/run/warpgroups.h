#pragma once
// wgmma: products of matrices that the four warps of a warpgroup issue together and that go on
// while they do other things. A thread issues its part without waiting for the others. The product
// is computed when the last of the 128 threads has issued it, and each thread's part of D comes to
// its registers when that thread waits for it (ptx/wgmma.cpp).

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/abi.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

inline constexpr unsigned warpgroup_threads = 128;

/// D = A B (+ D). A has 64 rows and k columns, B has n columns.
struct MatrixForm {
  MatrixElement d, a, b;
  unsigned n, k;
  bool a_in_registers;
  bool saturates;

  unsigned registers() const { return d == MatrixElement::f16 ? n / 4 : n / 2; }  ///< of D
  friend bool operator==(const MatrixForm&, const MatrixForm&) = default;
};

/// What the 128 threads of one wgmma have to agree about.
struct MatrixIssue {
  MatrixForm form;
  std::uint64_t a, b;  ///< descriptors; of A 0 if it is in registers
  bool adds, negates;  ///< D = +-A B + D
  bool a_transposed, b_transposed;

  friend bool operator==(const MatrixIssue&, const MatrixIssue&) = default;
};

/// A warpgroup's D by rows, on its way to the registers: floats, or integers, by their bits.
using MatrixValues = std::vector<std::uint32_t>;

struct MatrixOperation {
  MatrixIssue issue;
  const void* code;  ///< of the thread that issued it first, as the rest
  unsigned thread;
  unsigned issued = 0;  ///< threads
  std::shared_ptr<MatrixValues> values;
  std::vector<double> a;   ///< by rows, if it is in registers
  std::uint64_t read = 0;  ///< of shared memory (check/async_proxy.h), until a wait; 0: none
};

/// Registers of one thread that wgmmas write, until it has waited for the last of them.
struct RegistersInFlight {
  std::shared_ptr<MatrixValues> values;
  MatrixForm form;
  std::array<std::uint32_t*, 128> at;
  std::uint64_t last;  ///< operation
  const void* code;
  const std::uint32_t *lowest = nullptr, *highest = nullptr;

  void find_bounds();
  bool holds(const std::uint32_t* word) const;
};

class Warpgroup {
 public:
  std::vector<std::uint64_t> reads;  ///< MatrixOperation::read of each, where they are checked

  struct Member {
    std::uint64_t issued = 0;           ///< operations
    std::vector<std::uint64_t> groups;  ///< operations that had been issued at each commit
    std::uint64_t committed = 0;        ///< operations
    std::uint64_t waited = 0;           ///< operations
    std::vector<RegistersInFlight> registers;
    bool has_fenced = false;  ///< wgmma.fence, since it last waited
    RegistersInFlight* in_flight(const std::uint32_t* at);
  };

  /// Of the running thread.
  Member& me();
  /// The one that the running thread issues now; null: it is the first to do so.
  MatrixOperation* next();
  MatrixOperation& add(const MatrixIssue& issue, const void* code);
  std::uint64_t completed() const { return completed_; }
  /// The oldest that is not completed. All threads have issued it, and it has been computed.
  MatrixOperation& oldest() { return operations_[completed_ - first_]; }
  void complete() { ++completed_; }
  /// Takes out an operation before `end`, the oldest one; null: there is none.
  std::unique_ptr<MatrixOperation> take(std::uint64_t end);

 private:
  std::array<Member, warpgroup_threads> members_;
  std::deque<MatrixOperation> operations_;
  std::uint64_t first_ = 0, completed_ = 0;
};

/// Of one block.
class Warpgroups {
 public:
  void begin() { groups_.clear(); }
  /// The running thread's.
  Warpgroup& mine();
  /// Whether an access to a local variable is one to registers in flight; null: it is not.
  const RegistersInFlight* in_flight(std::uintptr_t address, unsigned size);

 private:
  std::deque<Warpgroup> groups_;  ///< none until a first wgmma
};

}  // namespace kata::emulator

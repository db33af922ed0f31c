#pragma once
// One call of the candidate, and what it left behind.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/device.h"
#include "judge/poison.h"
#include "problems/spec/problem.h"
#include "report/report.h"

namespace kata {

/// Device memory that frees itself; or memory of one size on each of several devices.
class Buffer {
 public:
  Buffer(Device& device, Type type, std::size_t count, const std::string& name)
      : Buffer(device, type) {
    add(count, name);
  }
  /// One part on each device.
  Buffer(Device& device, Type type, std::size_t count_each, const std::string& name, int devices);
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    for (void* const part : parts_)
      if (part) device_.release(part);
  }

  void* data() const { return parts_.front(); }
  const std::vector<void*>& parts() const { return parts_; }
  std::size_t bytes() const { return parts_.size() * bytes_of_part(); }
  std::size_t bytes_of_part() const { return count_ * size_of(type_); }
  /// CUDA gives no bytes no address.
  bool is_complete() const;
  /// Each has the other's memory then. Both have as many elements.
  void trade(Buffer& other) { std::swap(parts_, other.parts_); }
  /// What all parts hold, one after the other.
  Array read() const;
  void upload(std::span<const std::byte> bytes) const;
  void poison(std::uint32_t word) const;

 private:
  Buffer(Device& device, Type type) : device_(device), type_(type) {}
  void add(std::size_t count, const std::string& name) {
    count_ = count;
    parts_.push_back(device_.allocate(type_, count, name));
  }

  Device& device_;
  Type type_;
  std::size_t count_ = 0;  ///< of a part
  std::vector<void*> parts_;
};

/// The memory of a tensor.
Buffer buffer_of(const Parameter& tensor, const Shape& shape, Device& device);

/// Device memory of one case. `complete` is false where there was not enough of it.
struct Buffers {
  std::vector<Buffer> tensors;  ///< in the order of the signature
  bool complete;
};

Buffers allocate(const Problem& problem, const Shape& shape, Device& device);

/// What one call of the candidate left behind.
struct Outcome {
  /// With the in-out buffers, in order; empty if the device broke, or the call was too slow.
  std::vector<Array> outputs;
  std::vector<Finding> findings;
  double seconds = 0;       ///< from the call until everything that it launched was done
  bool ended_slow = false;  ///< by the backend, before it was done
};

/// Calls the candidate. A C++ exception that it lets out is a crash with a reason.
std::optional<Finding> call(const Signature& signature, void* entry, const Arguments& arguments);

/// What the host has computed itself, by what was copied since the last call. If those were inputs,
/// the CPU computes the operator, or part of it. Else it may be the last step of a reduction.
std::optional<Finding> host_computation(const Problem& problem, const Buffers& buffers,
                                        const std::vector<HostCopy>& copies);

/// Adds what the outputs hold, and the inputs that have changed, unless they are known already with
/// their lines. In-out buffers may change.
void read_results(const Problem& problem, const Shape& shape, const Inputs& inputs,
                  const Buffers& buffers, Outcome& outcome);

/// Calls `entry` on buffers that hold what they should, and waits when it was called so often: each
/// call's work comes after that of the one before. The outputs stay on the device.
Outcome call_on(const Problem& problem, void* entry, const Case& one_case, const Buffers& buffers,
                Device& device, int calls = 1);

/// Gives inputs and in-out buffers their values and outputs their poison, calls `entry`, and waits.
/// Findings are those of the backend, and inputs and guard zones that were written.
Outcome call_once(const Problem& problem, void* entry, const Case& one_case, const Inputs& inputs,
                  const Buffers& buffers, Device& device, Poison poison = Poison::first);

}  // namespace kata

#pragma once
// One call of the candidate, and what it left behind.

#include <string>
#include <utility>
#include <vector>

#include "judge/device.h"
#include "judge/poison.h"
#include "problems/spec/problem.h"
#include "report/report.h"

namespace kata {

/// Device memory that frees itself.
class Buffer {
 public:
  Buffer(Device& device, Type type, std::size_t count, const std::string& name)
      : device_(device), type_(type), count_(count), data_(device.allocate(type, count, name)) {}
  Buffer(Buffer&& other) noexcept
      : device_(other.device_),
        type_(other.type_),
        count_(other.count_),
        data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_) device_.release(data_);
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return count_ * size_of(type_); }
  Array read() const {
    Array host(type_, count_);
    device_.download(host.bytes().data(), data_, bytes());
    return host;
  }

 private:
  Device& device_;
  Type type_;
  std::size_t count_;
  void* data_;
};

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

/// Calls `entry` on buffers that hold what they should, and waits when it was called so often: each
/// call's work comes after that of the one before. The outputs stay on the device.
Outcome call_on(const Problem& problem, void* entry, const Case& one_case, const Buffers& buffers,
                Device& device, int calls = 1);

/// Gives inputs and in-out buffers their values and outputs their poison, calls `entry`, and waits.
/// Findings are those of the backend, and inputs and guard zones that were written.
Outcome call_once(const Problem& problem, void* entry, const Case& one_case, const Inputs& inputs,
                  const Buffers& buffers, Device& device, Poison poison = Poison::first);

}  // namespace kata

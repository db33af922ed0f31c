#pragma once
// One call of the candidate, and what it left behind.

#include <string>
#include <utility>
#include <vector>

#include "judge/device.h"
#include "problems/problem.h"
#include "report/report.h"

namespace kata {

/// Device memory that frees itself.
class Buffer {
 public:
  Buffer(Device& device, std::size_t count, const std::string& name)
      : device_(device), count_(count), data_(device.allocate(count, name)) {}
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_) device_.release(data_);
  }

  float* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::vector<float> read() const {
    std::vector<float> host(count_);
    device_.download(host.data(), data_, count_);
    return host;
  }

 private:
  Device& device_;
  std::size_t count_;
  float* data_;
};

/// Device memory of one case. `complete` is false where there was not enough of it.
struct Buffers {
  std::vector<Buffer> inputs;
  Buffer output;
  bool complete;
};

Buffers allocate(const Problem& problem, const Shape& shape, Device& device);

/// What one call of the candidate left behind.
struct Outcome {
  std::vector<float> output;  ///< empty if the device broke
  std::vector<Finding> findings;
};

/// Gives the buffers their inputs and a poisoned output, calls `entry`, and waits. Findings are
/// those of the backend, and whatever the buffers show: inputs and guard zones that were written,
/// an output that was not.
Outcome call_once(const Problem& problem, void* entry, const Shape& shape, const Inputs& inputs,
                  const Buffers& buffers, Device& device);

/// Bit for bit, of equal sizes.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace kata

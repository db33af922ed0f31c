#pragma once
// A device in ordinary memory, so that candidates can be ordinary functions.

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "judge/device.h"

namespace kata::test {

class HostDevice : public Device {
 public:
  std::string name() const override { return "host"; }
  bool runs_large_cases() const override { return false; }

  float* allocate(std::size_t count, const std::string& name) override {
    if (count > most_floats) return nullptr;
    buffers_[next_] = {name, count};
    float* memory = memory_.data() + 64 + 100'000 * next_++;
    std::fill(memory - 8, memory + count + 8, guard);
    return memory;
  }
  void release(float*) override {
    if (++released_ == buffers_.size()) {
      buffers_.clear();
      next_ = released_ = 0;
    }
  }
  void upload(float* buffer, const float* host, std::size_t count) override {
    std::memcpy(buffer, host, count * sizeof(float));
  }
  void download(float* host, const float* buffer, std::size_t count) override {
    std::memcpy(host, buffer, count * sizeof(float));
  }
  void poison(float* buffer, std::size_t count) override {
    std::fill_n(reinterpret_cast<std::uint32_t*>(buffer), count, poison_bits);
  }
  std::optional<Finding> synchronize() override {
    usable_ = !breaks;
    return std::exchange(error, {});
  }
  bool usable() const override { return usable_; }
  std::vector<Finding> check_guards() override {
    std::vector<Finding> findings;
    for (auto& [number, buffer] : buffers_) {
      float* end = memory_.data() + 64 + 100'000 * number + buffer.count;
      if (*end != guard) {
        findings.push_back(
            {.kind = FindingKind::out_of_bounds, .message = "past the end of " + buffer.name});
        *end = guard;
      }
    }
    return findings;
  }
  std::vector<KernelRecord> take_kernels() override { return {{.name = "kernel"}}; }
  void change_schedule() override { ++schedule; }

  std::size_t most_floats = 90'000;
  std::optional<Finding> error = {};  ///< what the next synchronize() reports
  bool breaks = false;                ///< whether it leaves the device unusable
  int schedule = 0;

 private:
  struct Buffer {
    std::string name;
    std::size_t count;
  };
  static constexpr float guard = -12345.5f;

  std::vector<float> memory_ = std::vector<float>(500'000);
  std::map<std::size_t, Buffer> buffers_;
  std::size_t next_ = 0, released_ = 0;
  bool usable_ = true;
};

}  // namespace kata::test

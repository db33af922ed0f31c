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

  void* allocate(Type type, std::size_t count, const std::string& name) override {
    const std::size_t bytes = count * size_of(type);
    if (bytes > most_bytes) return nullptr;
    buffers_[next_] = {name, bytes};
    char* memory = place(next_++);
    std::memset(memory - 64, guard, bytes + 128);
    return memory;
  }
  void release(void*) override {
    if (++released_ == buffers_.size()) {
      buffers_.clear();
      next_ = released_ = 0;
    }
  }
  void upload(void* buffer, const void* host, std::size_t bytes) override {
    std::memcpy(buffer, host, bytes);
  }
  void download(void* host, const void* buffer, std::size_t bytes) override {
    std::memcpy(host, buffer, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void poison(void* buffer, std::size_t bytes, std::uint32_t word) override {
    for (std::size_t i = 0; i < bytes; i += sizeof word) {
      std::memcpy(static_cast<char*>(buffer) + i, &word, std::min(sizeof word, bytes - i));
    }
  }
  std::optional<Finding> synchronize() override {
    usable_ = !breaks;
    return std::exchange(error, {});
  }
  bool usable() const override { return usable_; }
  std::vector<Finding> check_guards() override {
    std::vector<Finding> findings;
    for (auto& [number, buffer] : buffers_) {
      char* const end = place(number) + buffer.bytes;
      if (*end != guard) {
        findings.push_back(
            {.kind = FindingKind::out_of_bounds, .message = "past the end of " + buffer.name});
        *end = guard;
      }
    }
    return findings;
  }
  std::vector<KernelRecord> take_kernels() override { return {{.name = "kernel"}}; }
  std::vector<HostCopy> take_host_copies() override { return std::exchange(copies, {}); }
  void change_schedule() override { ++schedule; }
  bool stop_side_by_side() override { return std::exchange(order_matters, false); }
  bool take_ended_slow() override { return std::exchange(ended_slow, false); }

  std::size_t most_bytes = 360'000;
  std::optional<Finding> error = {};  ///< what the next synchronize() reports
  bool breaks = false;                ///< whether it leaves the device unusable
  int schedule = 0;
  bool order_matters = false;         ///< what the next stop_side_by_side() says
  bool ended_slow = false;            ///< what the next take_ended_slow() says
  std::vector<HostCopy> copies = {};  ///< what the next take_host_copies() reports

 private:
  struct Buffer {
    std::string name;
    std::size_t bytes;
  };
  static constexpr char guard = 0x5c;
  static constexpr std::size_t most_buffers = 16;

  char* place(std::size_t number) { return memory_.data() + 256 + 400'000 * number; }

  std::vector<char> memory_ = std::vector<char>(400'000 * most_buffers);
  std::map<std::size_t, Buffer> buffers_;
  std::size_t next_ = 0, released_ = 0;
  bool usable_ = true;
};

}  // namespace kata::test

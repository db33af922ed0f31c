#pragma once
// The emulator as the judge's device.

#include <vector>

#include "emulator/emulator.h"
#include "judge/device.h"

namespace kata {

class EmulatorDevice : public Device {
 public:
  explicit EmulatorDevice(const emulator::Options& options);

  std::string name() const override { return "emulator"; }
  bool runs_large_cases() const override { return false; }
  float* allocate(std::size_t count, const std::string& name) override;
  void release(float* buffer) override;
  void upload(float* buffer, const float* host, std::size_t count) override;
  void download(float* host, const float* buffer, std::size_t count) override;
  void poison(float* buffer, std::size_t count) override;
  std::optional<Finding> synchronize() override;
  bool usable() const override { return usable_; }
  /// The emulator sees every access out of bounds as it happens.
  std::vector<Finding> check_guards() override { return {}; }
  std::vector<Finding> take_findings() override;
  std::vector<KernelRecord> take_kernels() override { return emulator::take_kernels(); }
  void count_requests(bool wanted) override;
  void change_schedule() override;

 private:
  void collect();

  emulator::Options options_;
  bool usable_ = true;
  std::vector<Finding> findings_;
};

}  // namespace kata

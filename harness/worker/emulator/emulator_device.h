#pragma once
// The emulator as the judge's device.

#include <vector>

#include "emulator/emulator.h"
#include "judge/device.h"

namespace kata {

class EmulatorDevice : public Device {
 public:
  explicit EmulatorDevice(const emulator::Options& options, int devices = 1);

  std::string name() const override { return "emulator"; }
  bool runs_large_cases() const override { return false; }
  void* allocate(Type type, std::size_t count, const std::string& name) override;
  void release(void* buffer) override;
  void upload(void* buffer, const void* host, std::size_t bytes) override;
  void download(void* host, const void* buffer, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void make_input(void* buffer, std::size_t bytes) override;
  void poison(void* buffer, std::size_t bytes, std::uint32_t word) override;
  void repeat(void* buffer, std::size_t bytes, std::span<const std::byte> pattern) override;
  void mark_unwritten(void* buffer, std::size_t bytes) override;
  bool any_unwritten(const void* buffer, std::size_t bytes) const override;
  bool take_ended_slow() override { return emulator::take_ended_slow(); }
  void order_streams() override;
  int devices() const override { return devices_; }
  int current() const override;
  void make_current(int device) override;
  CUstream_st* stream(int device) override;
  void queue_copy(int device, void* to, const void* from, std::size_t bytes,
                  const char* name) override;
  std::optional<Finding> synchronize() override;
  bool usable() const override { return usable_; }
  /// The emulator sees every access out of bounds as it happens.
  std::vector<Finding> check_guards() override { return {}; }
  std::vector<Finding> take_findings() override;
  std::vector<KernelRecord> take_kernels() override { return emulator::take_kernels(); }
  std::uint64_t take_switches() override { return emulator::take_switches(); }
  std::vector<HostCopy> take_host_copies() override;
  void expect_work(double work) override;
  void count_requests(bool wanted) override;
  void run_kernels(Blocks which) override;
  Sample take_sample() override;
  bool stop_side_by_side() override;
  void change_schedule() override;
  void reverse_schedule() override;

 private:
  void collect();

  void open_devices();

  emulator::Options options_;
  unsigned multiprocessors_;  ///< Options::multiprocessors where all blocks run
  int devices_;
  std::vector<CUstream_st*> streams_ = {};
  bool usable_ = true;
  std::vector<Finding> findings_;
};

}  // namespace kata

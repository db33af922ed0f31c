#include "worker/emulator/emulator_device.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "emulator/abi.h"
#include "worker/emulator/findings.h"
#include "worker/emulator/leaks.h"

// The emulator's CUDA runtime, as a candidate's modules find it (emulator/abi.h): cudaError_t and
// cudaMemcpyKind are ints.
extern "C" {
int cudaFree(void* pointer);
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
const char* cudaGetErrorName(int error);
const char* cudaGetErrorString(int error);
}

namespace kata {
namespace {

constexpr int host_to_device = 1, device_to_host = 2;

}  // namespace

EmulatorDevice::EmulatorDevice(const emulator::Options& options) : options_(options) {
  emulator::configure(options_);
}

float* EmulatorDevice::allocate(std::size_t count, const std::string& name) {
  void* buffer = nullptr;
  if (__kata_malloc(&buffer, count * sizeof(float), 0, "", 0) != 0) {
    cudaGetLastError();
    return nullptr;
  }
  emulator::name_buffer(buffer, name);
  return static_cast<float*>(buffer);
}

void EmulatorDevice::release(float* buffer) {
  cudaFree(buffer);
}

void EmulatorDevice::upload(float* buffer, const float* host, std::size_t count) {
  cudaMemcpy(buffer, host, count * sizeof(float), host_to_device);
  emulator::make_input(buffer, count * sizeof(float));
}

void EmulatorDevice::download(float* host, const float* buffer, std::size_t count) {
  cudaMemcpy(host, buffer, count * sizeof(float), device_to_host);
}

void EmulatorDevice::poison(float* buffer, std::size_t count) {
  emulator::poison(buffer, 0xff, count * sizeof(float));
  // Device memory is this process's own: the pattern is written past the runtime, for which the
  // buffer stays one that was never written.
  auto* words = reinterpret_cast<std::uint32_t*>(buffer);
  std::fill(words, words + count, poison_bits);
}

void EmulatorDevice::collect() {
  const std::vector<Finding> seen = from_emulator(emulator::take_findings());
  findings_.insert(findings_.end(), seen.begin(), seen.end());
}

std::optional<Finding> EmulatorDevice::synchronize() {
  const int waited = cudaDeviceSynchronize();
  const int last = cudaGetLastError();
  collect();
  const int error = waited != 0 ? waited : last;
  if (error == 0) return {};
  usable_ = cudaDeviceSynchronize() == 0;  // an error that stays spoils everything after it
  if (first_error(findings_)) return {};   // with its line, which the error code does not have
  return Finding{.kind = FindingKind::cuda_error,
                 .message = fmt::format("CUDA reports {}: {}", cudaGetErrorName(error),
                                        cudaGetErrorString(error))};
}

std::vector<Finding> EmulatorDevice::take_findings() {
  collect();
  for (Finding& leak : leaks()) findings_.push_back(std::move(leak));
  return std::exchange(findings_, {});
}

void EmulatorDevice::count_requests(bool wanted) {
  options_.count_requests = wanted;
  emulator::configure(options_);
}

void EmulatorDevice::change_schedule() {
  if (options_.schedule == emulator::Schedule::forward) {
    options_.schedule = emulator::Schedule::reverse;
  } else {
    options_.schedule = emulator::Schedule::random;
    ++options_.schedule_seed;
  }
  emulator::configure(options_);
}

}  // namespace kata

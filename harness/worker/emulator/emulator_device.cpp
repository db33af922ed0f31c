#include "worker/emulator/emulator_device.h"

#include <fmt/format.h>

#include <algorithm>
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
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaDeviceSynchronize(void);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaGetDevice(int* device);
int cudaSetDevice(int device);
int cudaStreamCreateWithFlags(CUstream_st** stream, unsigned flags);
int cudaGetLastError(void);
const char* cudaGetErrorName(int error);
const char* cudaGetErrorString(int error);
}

namespace kata {
namespace {

constexpr unsigned non_blocking = 1;
constexpr int host_to_device = 1, device_to_host = 2, device_to_device = 3;

}  // namespace

EmulatorDevice::EmulatorDevice(const emulator::Options& options, int devices)
    : options_(options), multiprocessors_(options.multiprocessors), devices_(devices) {
  options_.host_copies = true;
  emulator::configure(options_);
  if (devices_ > 1) open_devices();
}

void EmulatorDevice::open_devices() {
  emulator::set_devices(devices_);
  for (int device = 0; device < devices_; ++device) {
    make_current(device);
    for (int peer = 0; peer < devices_; ++peer)
      if (peer != device) cudaDeviceEnablePeerAccess(peer, 0);
    cudaStreamCreateWithFlags(&streams_.emplace_back(), non_blocking);
  }
  make_current(0);
}

int EmulatorDevice::current() const {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

void EmulatorDevice::make_current(int device) {
  cudaSetDevice(device);
}

CUstream_st* EmulatorDevice::stream(int device) {
  return streams_[static_cast<std::size_t>(device)];
}

void EmulatorDevice::queue_copy(int device, void* to, const void* from, std::size_t bytes,
                                const char* name) {
  emulator::queue_copy(to, from, bytes, stream(device), name);
}

void* EmulatorDevice::allocate(Type type, std::size_t count, const std::string& name) {
  std::size_t free = 0, total = 0;
  void* buffer = nullptr;
  cudaMemGetInfo(&free, &total);
  if (count * size_of(type) > free) return nullptr;  // no fault of the candidate's
  if (__kata_malloc(&buffer, count * size_of(type), 0, "", 0) != 0) {
    cudaGetLastError();
    return nullptr;
  }
  emulator::name_buffer(buffer, name, {cuda_name(type), size_of(type)});
  return buffer;
}

void EmulatorDevice::release(void* buffer) {
  cudaFree(buffer);
}

void EmulatorDevice::upload(void* buffer, const void* host, std::size_t bytes) {
  cudaMemcpy(buffer, host, bytes, host_to_device);
}

void EmulatorDevice::download(void* host, const void* buffer, std::size_t bytes) {
  cudaMemcpy(host, buffer, bytes, device_to_host);
}

void EmulatorDevice::copy(void* to, const void* from, std::size_t bytes) {
  cudaMemcpy(to, from, bytes, device_to_device);
}

void EmulatorDevice::make_input(void* buffer, std::size_t bytes) {
  emulator::make_input(buffer, bytes);
}

void EmulatorDevice::poison(void* buffer, std::size_t bytes, std::uint32_t word) {
  emulator::poison(buffer, bytes, word);
}

void EmulatorDevice::mark_unwritten(void* buffer, std::size_t bytes) {
  emulator::mark_unwritten(buffer, bytes);
}

bool EmulatorDevice::any_unwritten(const void* buffer, std::size_t bytes) const {
  return emulator::any_unwritten(buffer, bytes);
}

void EmulatorDevice::repeat(void* buffer, std::size_t bytes, std::span<const std::byte> pattern) {
  emulator::repeat(buffer, bytes, pattern.data(), pattern.size());
}

void EmulatorDevice::collect() {
  const std::vector<Finding> seen = from_emulator(emulator::take_findings());
  findings_.insert(findings_.end(), seen.begin(), seen.end());
}

void EmulatorDevice::order_streams() {
  emulator::order_streams();
}

std::optional<Finding> EmulatorDevice::synchronize() {
  int waited = 0;
  if (devices_ == 1) emulator::end_call();
  for (int device = devices_; device-- > 0;) {
    if (devices_ > 1) make_current(device);
    if (const int error = cudaDeviceSynchronize()) waited = error;
  }
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
  add_leaks(findings_);
  return std::exchange(findings_, {});
}

std::vector<HostCopy> EmulatorDevice::take_host_copies() {
  std::vector<HostCopy> copies;
  for (emulator::HostCopy& one : emulator::take_host_copies()) {
    const bool to_host = one.direction == emulator::CopyDirection::to_host;
    copies.push_back(
        {.device = one.device,
         .bytes = one.bytes,
         .direction = to_host ? HostCopy::Direction::to_host : HostCopy::Direction::from_host,
         .file = std::move(one.file),
         .line = one.line});
  }
  return copies;
}

/// An endless loop ends within seconds, at its line. Few kernels access memory more than this often
/// for a case, and any may, where a case is large: its blocks end all the same. What is not checked
/// takes a hundredth of the time, and the limit of time is enough.
void EmulatorDevice::expect_work(double work) {
  if (!options_.checked) return;
  constexpr double for_any = 3e8, for_each = 1e5, most = 1.7e9;
  options_.access_limit = static_cast<std::uint64_t>(std::min(most, for_any + for_each * work));
  emulator::configure(options_);
}

void EmulatorDevice::count_requests(bool wanted) {
  options_.count_requests = wanted;
  emulator::configure(options_);
}

void EmulatorDevice::run_kernels(Blocks which) {
  options_.launches_only = which == Blocks::none;
  options_.multiprocessors = which == Blocks::all ? multiprocessors_ : 0;
  const bool few = which == Blocks::few || which == Blocks::few_briefly;
  options_.others_write_zeros = few || which == Blocks::first;
  options_.sampled_blocks = 0;
  options_.sampled_accesses = emulator::Options{}.sampled_accesses;
  options_.whole_work = emulator::Options{}.whole_work;
  if (which == Blocks::some || which == Blocks::more) options_.sampled_blocks = 16;
  if (which == Blocks::more) {
    options_.sampled_accesses = 1 << 19;
    options_.whole_work = 1 << 27;
  }
  if (few) {
    options_.sampled_blocks = 4;
    // A single one may scan all others' sums.
    options_.sampled_accesses = which == Blocks::few ? 1 << 24 : 1 << 22;
  }
  if (which == Blocks::first) {
    options_.sampled_blocks = 1;
    options_.sampled_accesses = 1 << 23;
  }
  emulator::configure(options_);
}

Sample EmulatorDevice::take_sample() {
  emulator::Sample sample = emulator::take_sample();
  std::vector<FirstReads> reads;
  for (emulator::FirstReads& one : sample.reads)
    reads.push_back({one.blocks, one.most_bytes, std::move(one.words), std::move(one.reaches_last),
                     std::move(one.short_of_last), std::move(one.kernel)});
  return {.is_whole = sample.is_whole,
          .has_returned = sample.has_returned,
          .reads = std::move(reads),
          .is_final = sample.is_final,
          .blocks = sample.blocks,
          .ran = sample.ran,
          .bytes = sample.bytes,
          .most_bytes = sample.most_bytes,
          .pages = std::move(sample.pages),
          .kernels = std::move(sample.kernels)};
}

/// Also on a machine with one core: a seed gives the same calls everywhere.
bool EmulatorDevice::stop_side_by_side() {
  if (!emulator::take_order_matters() || options_.threads == 1) return false;
  options_.threads = 1;
  emulator::configure(options_);
  return true;
}

void EmulatorDevice::change_schedule() {
  if (options_.schedule == emulator::Schedule::forward) return reverse_schedule();
  options_.schedule = emulator::Schedule::random;
  ++options_.schedule_seed;
  emulator::configure(options_);
}

void EmulatorDevice::reverse_schedule() {
  options_.schedule = emulator::Schedule::reverse;
  emulator::configure(options_);
}

}  // namespace kata

#pragma once
// What CUDA promises about the order of streams and of the host. The emulator runs everything when
// it is issued; a device may still be busy with work that is not ordered before it.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// The host counts as a stream.
enum class StreamKind { host, legacy_default, blocking, non_blocking };

using StreamId = std::size_t;
inline constexpr StreamId host_stream = 0, default_stream = 1;
/// Each device has two that nobody creates.
inline constexpr StreamId default_stream_of(int device) {
  return default_stream + 2 * static_cast<StreamId>(device);
}
inline constexpr StreamId per_thread_stream_of(int device) {
  return default_stream_of(device) + 1;
}

/// By stream, a block number (memory/shadow.h): work of that stream with lower ones has ended.
using StreamClock = std::vector<std::uint64_t>;

/// A launch, a copy or a fill.
struct StreamWork {
  std::uint64_t first_number = 0;  ///< its blocks are numbered from here on
  StreamId stream = default_stream;
  bool is_kernel = false;
  std::string name;            ///< of the kernel, or of the function that was called
  Place place;                 ///< of the launch, or of the call
  const char* verb = nullptr;  ///< of a call that does not just read or write: "allocates"
};

class StreamOrder {
 public:
  static StreamOrder& instance();
  StreamOrder();

  /// For device_count() devices: nothing was issued, and no stream was created.
  void divide();
  /// A stream of the current device.
  StreamId create(StreamKind kind);
  /// Whether there is any but the default stream.
  bool has_streams() const { return kinds_.size() > per_thread_stream_of(0) + 1; }
  int device_of(StreamId stream) const;

  /// The work is issued: what comes before it.
  std::shared_ptr<const StreamClock> begin(const StreamWork& work);
  /// The same, if the work may begin before the kernel before it in its stream has ended; null:
  /// there is none, or it is known to have ended.
  std::shared_ptr<const StreamClock> before_dependency(const StreamWork& work) const;
  /// What has ended when the stream's work so far has: an event that is recorded now.
  StreamClock record(StreamId stream);
  void wait(StreamId stream, const StreamClock& event);
  /// The same of all streams of a device.
  StreamClock record_all_of(int device);
  void all_wait(int device, const StreamClock& event);
  /// What is issued from now on, to any stream, comes after all that was issued before.
  void streams_wait_for_all();
  void host_waits_for(StreamId stream);
  void host_waits_for(const StreamClock& event);
  void host_waits_for_device(int device);
  void host_waits_for_all();
  /// What has ended for the host.
  StreamClock host_clock() const;

  /// The work that a block number belongs to, if it is not among what comes before; else null.
  std::shared_ptr<const StreamWork> unordered(std::uint64_t number,
                                              const StreamClock& before) const;
  /// All work with lower numbers comes before.
  std::uint64_t first_unordered(const StreamClock& before) const;
  std::uint64_t first_unordered_for_host() const { return host_limit_; }

 private:
  StreamClock reached(StreamId stream) const;
  StreamId add(StreamKind kind, int device);
  void forget();
  void raise_host(const StreamClock& clock);
  std::uint64_t first_unordered_locked(const StreamClock& before) const;

  mutable std::mutex mutex_;
  std::vector<StreamKind> kinds_;                        ///< by stream
  std::vector<int> devices_;                             ///< by stream
  std::vector<StreamClock> clocks_;                      ///< of what the stream does next
  StreamClock of_all_;                                   ///< of what any stream does next
  std::deque<std::shared_ptr<const StreamWork>> works_;  ///< that the host has not waited for
  std::atomic<std::uint64_t> host_limit_ = ~std::uint64_t{0};
  unsigned number_round_ = 0;
};

}  // namespace kata::emulator

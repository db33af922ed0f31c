#pragma once
// What CUDA promises about the order of streams and of the host. The emulator runs what it can when
// it is issued; a device may still be busy with work that is not ordered before it.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/runtime/launch/order.h"
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

/// What has ended.
struct StreamClock {
  /// By stream, a block number (memory/shadow.h): work of that stream with lower ones.
  std::vector<std::uint64_t> ended;
  /// What threads of other launches have done, as far as this work has learned it by flags. Where
  /// there are several devices.
  VectorClock known;
};

/// A launch, a copy or a fill.
struct StreamWork {
  std::uint64_t first_number = 0;  ///< its blocks are numbered from here on
  StreamId stream = default_stream;
  bool is_kernel = false;
  std::string name;            ///< of the kernel, or of the function that was called
  Place place;                 ///< of the launch, or of the call
  const char* verb = nullptr;  ///< of a call that does not just read or write: "allocates"
  std::shared_ptr<const StreamClock> before = nullptr;  ///< what has ended when it begins
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
  /// Whether work of one of the streams waits for what was issued to the other before.
  bool are_in_order(StreamId a, StreamId b) const;

  /// The work is issued: what comes before it.
  std::shared_ptr<const StreamClock> begin(const StreamWork& work);
  /// The same, if the work may begin before the kernel before it in its stream has ended; null:
  /// there is none, or it is known to have ended.
  std::shared_ptr<const StreamClock> before_dependency(const StreamWork& work) const;
  /// The work has ended, and what comes after it knows this.
  void end(StreamId stream, const VectorClock& known);
  /// The blocks of that work have other numbers from now on.
  void renumber(std::uint64_t first_number, std::uint64_t now);
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
  /// The host has seen a flag.
  void host_learns(const VectorClock& known);
  /// Whether some work began, or is still to begin, before what the host has waited for by now.
  void keep_works(bool keep) { keeps_works_ = keep; }
  /// What has ended for the host.
  StreamClock host_clock() const;

  /// The work that a block number belongs to, if it is not among what comes before; else null.
  std::shared_ptr<const StreamWork> unordered(std::uint64_t number,
                                              const StreamClock& before) const;
  /// The work that made the access, if that is not among what comes before; else null.
  std::shared_ptr<const StreamWork> unordered(const Mark& mark, const StreamClock& before) const;
  /// The work that made the access; null: the host has waited for it.
  std::shared_ptr<const StreamWork> work_of(const Mark& mark) const;
  /// Whether who knows this comes after the access of another launch, or of a copy: one of the
  /// threads that it knows of does.
  bool is_known(const Mark& mark, const VectorClock& known) const;
  /// What of it is not of work that has ended before.
  VectorClock without_ended(const VectorClock& known, const StreamClock& before) const;
  /// All work with lower numbers comes before.
  std::uint64_t first_unordered(const StreamClock& before) const;
  std::uint64_t first_unordered_for_host() const { return host_limit_; }

 private:
  using Work = std::shared_ptr<const StreamWork>;
  Work work_of(std::uint64_t number) const;
  bool is_known_locked(const Mark& mark, const Work& work, const VectorClock& known) const;
  VectorClock without_ended_locked(const VectorClock& known, const StreamClock& before) const;
  StreamClock reached(StreamId stream) const;
  StreamId add(StreamKind kind, int device);
  void forget();
  void raise_host(const StreamClock& clock);
  std::uint64_t first_unordered_locked(const StreamClock& before) const;

  mutable std::mutex mutex_;
  std::vector<StreamKind> kinds_;    ///< by stream
  std::vector<int> devices_;         ///< by stream
  std::vector<StreamClock> clocks_;  ///< of what the stream does next
  StreamClock of_all_;               ///< of what any stream does next
  std::deque<Work> works_;           ///< that the host, or work under way, has not waited for
  std::atomic<std::uint64_t> host_limit_ = ~std::uint64_t{0};
  unsigned number_round_ = 0;
  std::atomic<bool> keeps_works_ = false;
};

/// While work runs that was issued when only so much had ended for the host.
class IssuedAfter {
 public:
  explicit IssuedAfter(const StreamClock& host);
  ~IssuedAfter();
  IssuedAfter(const IssuedAfter&) = delete;
  IssuedAfter& operator=(const IssuedAfter&) = delete;

 private:
  const StreamClock* before_;
};

}  // namespace kata::emulator

#pragma once
// Races of copies, of fills and of host code with the work of streams that they do not wait for.
// Those of kernels are found where all races are (races.h).

#include <cstddef>
#include <cstdint>
#include <memory>

#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/place.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

/// A copy or a fill that the candidate's host code issues to a stream.
class Transfer {
 public:
  /// `verb`: what it does to all that it touches; null: it reads and writes.
  Transfer(const char* function, StreamId stream, Place place, const char* verb = nullptr);

  /// It touches device, managed or pinned memory, or a variable of the module. One call has at most
  /// one finding.
  void reads(const void* low, std::size_t bytes) { touches(low, bytes, false); }
  void writes(const void* low, std::size_t bytes) { touches(low, bytes, true); }
  /// The call returns when it is done: all that comes after it is ordered.
  void leave_no_marks() { leaves_marks_ = false; }

 private:
  void touches(const void* low, std::size_t bytes, bool is_write);

  StreamWork work_;
  std::shared_ptr<const StreamClock> before_;
  std::uint64_t first_unordered_;
  bool told_ = false, leaves_marks_ = true;
};

/// Host code touches managed or pinned memory.
void check_host_order(std::uintptr_t address, std::size_t bytes, Access access,
                      const void* return_address);

/// While a stream calls host code: that is ordered as the stream is.
class StreamCallback {
 public:
  StreamCallback();
  ~StreamCallback();
  StreamCallback(const StreamCallback&) = delete;
  StreamCallback& operator=(const StreamCallback&) = delete;
};

/// What streams that the default stream does not wait for have written to buffers of this program's
/// own is a race.
void check_end_of_call();
/// Without marks in memory: any kernel of such a stream is one.
void check_streams_at_end();

}  // namespace kata::emulator

#include "emulator/runtime/launch/streams.h"

#include <algorithm>

#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {
namespace {

/// Older work counts as ended: a program that never synchronizes must not fill the memory.
constexpr std::size_t most_works = 10'000;

std::uint64_t& entry(StreamClock& clock, StreamId stream) {
  if (clock.size() <= stream) clock.resize(stream + 1);
  return clock[stream];
}

void join(StreamClock& clock, const StreamClock& other) {
  for (StreamId stream = 0; stream < other.size(); ++stream)
    entry(clock, stream) = std::max(entry(clock, stream), other[stream]);
}

bool has_ended(const StreamWork& work, const StreamClock& before) {
  return work.stream < before.size() && work.first_number < before[work.stream];
}

/// All numbers so far are lower.
std::uint64_t next_number() {
  return number_blocks(0);
}

}  // namespace

StreamOrder& StreamOrder::instance() {
  static auto* order = new StreamOrder;  // never destroyed, as device memory
  return *order;
}

StreamOrder::StreamOrder() {
  divide();
}

void StreamOrder::divide() {
  const std::lock_guard lock(mutex_);
  forget();
  kinds_.clear();
  devices_.clear();
  clocks_.clear();
  add(StreamKind::host, -1);
  for (int device = 0; device < device_count(); ++device) {
    add(StreamKind::legacy_default, device);
    add(StreamKind::blocking, device);
  }
}

/// What was issued so far.
void StreamOrder::forget() {
  for (StreamClock& clock : clocks_) clock.clear();
  of_all_.clear();
  works_.clear();
  host_limit_ = ~std::uint64_t{0};
}

StreamId StreamOrder::add(StreamKind kind, int device) {
  kinds_.push_back(kind);
  devices_.push_back(device);
  clocks_.emplace_back();
  return kinds_.size() - 1;
}

StreamId StreamOrder::create(StreamKind kind) {
  const std::lock_guard lock(mutex_);
  return add(kind, current_device());
}

int StreamOrder::device_of(StreamId stream) const {
  const std::lock_guard lock(mutex_);
  return devices_[stream];
}

/// What comes before a command that is issued to the stream now. The legacy default stream waits
/// for all blocking streams of its device, and they wait for it (CUDA C++ Programming Guide,
/// "Default Stream").
StreamClock StreamOrder::reached(StreamId stream) const {
  StreamClock clock = clocks_[stream];
  join(clock, clocks_[host_stream]);
  join(clock, of_all_);
  const std::uint64_t now = next_number();
  const auto join_stream = [&](StreamId other) {
    join(clock, clocks_[other]);
    entry(clock, other) = now;
  };
  join_stream(stream);
  if (kinds_[stream] == StreamKind::blocking) join_stream(default_stream_of(devices_[stream]));
  if (kinds_[stream] != StreamKind::legacy_default) return clock;
  for (StreamId other = 0; other < kinds_.size(); ++other) {
    if (kinds_[other] == StreamKind::blocking && devices_[other] == devices_[stream])
      join_stream(other);
  }
  return clock;
}

std::shared_ptr<const StreamClock> StreamOrder::begin(const StreamWork& work) {
  const std::lock_guard lock(mutex_);
  if (number_round_ != number_rounds()) {  // numbers began again at 1: forget all
    number_round_ = number_rounds();
    forget();
  }
  clocks_[work.stream] = reached(work.stream);
  // Its own number may have been given out already: what comes before it are lower ones.
  for (std::uint64_t& number : clocks_[work.stream]) number = std::min(number, work.first_number);
  works_.push_back(std::make_shared<StreamWork>(work));
  if (works_.size() > most_works) works_.pop_front();
  host_limit_ = std::min<std::uint64_t>(host_limit_, works_.back()->first_number);
  return std::make_shared<const StreamClock>(clocks_[work.stream]);
}

std::shared_ptr<const StreamClock> StreamOrder::before_dependency(const StreamWork& work) const {
  const std::lock_guard lock(mutex_);
  const auto is_before = [&](const auto& one) {
    return one->stream == work.stream && one->first_number < work.first_number;
  };
  const auto last = std::find_if(works_.rbegin(), works_.rend(), is_before);
  if (last == works_.rend() || !(*last)->is_kernel) return nullptr;
  auto clock = std::make_shared<StreamClock>(clocks_[work.stream]);
  entry(*clock, work.stream) = (*last)->first_number;
  return clock;
}

StreamClock StreamOrder::record(StreamId stream) {
  const std::lock_guard lock(mutex_);
  return reached(stream);
}

void StreamOrder::wait(StreamId stream, const StreamClock& event) {
  const std::lock_guard lock(mutex_);
  join(clocks_[stream], event);
}

StreamClock StreamOrder::record_all_of(int device) {
  const std::lock_guard lock(mutex_);
  StreamClock clock;
  for (StreamId stream = 0; stream < kinds_.size(); ++stream) {
    if (devices_[stream] == device) join(clock, reached(stream));
  }
  return clock;
}

void StreamOrder::all_wait(int device, const StreamClock& event) {
  const std::lock_guard lock(mutex_);
  for (StreamId stream = 0; stream < kinds_.size(); ++stream) {
    if (devices_[stream] == device) join(clocks_[stream], event);
  }
}

void StreamOrder::streams_wait_for_all() {
  const std::lock_guard lock(mutex_);
  of_all_ = StreamClock(kinds_.size(), next_number());
}

void StreamOrder::raise_host(const StreamClock& clock) {
  join(clocks_[host_stream], clock);
  while (!works_.empty() && has_ended(*works_.front(), clocks_[host_stream])) works_.pop_front();
  host_limit_ = first_unordered_locked(clocks_[host_stream]);
}

void StreamOrder::host_waits_for(StreamId stream) {
  const std::lock_guard lock(mutex_);
  raise_host(reached(stream));
}

void StreamOrder::host_waits_for(const StreamClock& event) {
  const std::lock_guard lock(mutex_);
  raise_host(event);
}

void StreamOrder::host_waits_for_device(int device) {
  if (device_count() == 1) return host_waits_for_all();
  host_waits_for(record_all_of(device));
}

void StreamOrder::host_waits_for_all() {
  const std::lock_guard lock(mutex_);
  raise_host(StreamClock(kinds_.size(), next_number()));
}

StreamClock StreamOrder::host_clock() const {
  const std::lock_guard lock(mutex_);
  return clocks_[host_stream];
}

std::shared_ptr<const StreamWork> StreamOrder::unordered(std::uint64_t number,
                                                         const StreamClock& before) const {
  const std::lock_guard lock(mutex_);
  const auto above = std::upper_bound(
      works_.begin(), works_.end(), number,
      [](std::uint64_t wanted, const auto& work) { return wanted < work->first_number; });
  if (above == works_.begin()) return nullptr;
  const auto& work = *std::prev(above);
  return has_ended(*work, before) ? nullptr : work;
}

std::uint64_t StreamOrder::first_unordered_locked(const StreamClock& before) const {
  const auto found = std::find_if(works_.begin(), works_.end(),
                                  [&](const auto& work) { return !has_ended(*work, before); });
  return found == works_.end() ? ~std::uint64_t{0} : (*found)->first_number;
}

std::uint64_t StreamOrder::first_unordered(const StreamClock& before) const {
  const std::lock_guard lock(mutex_);
  return first_unordered_locked(before);
}

}  // namespace kata::emulator

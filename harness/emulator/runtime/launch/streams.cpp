#include "emulator/runtime/launch/streams.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {
namespace {

/// Older work counts as ended: a program that never synchronizes must not fill the memory.
constexpr std::size_t most_works = 10'000;

thread_local const StreamClock* issued_after = nullptr;  ///< null: what runs is issued now

std::uint64_t& entry(StreamClock& clock, StreamId stream) {
  if (clock.ended.size() <= stream) clock.ended.resize(stream + 1);
  return clock.ended[stream];
}

void join(StreamClock& clock, const StreamClock& other) {
  for (StreamId stream = 0; stream < other.ended.size(); ++stream)
    entry(clock, stream) = std::max(entry(clock, stream), other.ended[stream]);
  clock.known = joined(clock.known, other.known);
}

bool has_ended(const StreamWork& work, const StreamClock& before) {
  return work.stream < before.ended.size() && work.first_number < before.ended[work.stream];
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
  for (StreamClock& clock : clocks_) clock = {};
  of_all_ = {};
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

bool StreamOrder::are_in_order(StreamId a, StreamId b) const {
  const std::lock_guard lock(mutex_);
  const auto waits_for = [&](StreamId one, StreamId other) {
    return kinds_[one] == StreamKind::legacy_default && kinds_[other] == StreamKind::blocking;
  };
  return a == b || (devices_[a] == devices_[b] && (waits_for(a, b) || waits_for(b, a)));
}

/// What comes before a command that is issued to the stream now. The legacy default stream waits
/// for all blocking streams of its device, and they wait for it (CUDA C++ Programming Guide,
/// "Default Stream").
StreamClock StreamOrder::reached(StreamId stream) const {
  StreamClock clock = clocks_[stream];
  join(clock, issued_after ? *issued_after : clocks_[host_stream]);
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
  for (std::uint64_t& number : clocks_[work.stream].ended)
    number = std::min(number, work.first_number);
  auto begun = std::make_shared<StreamWork>(work);
  begun->before = std::make_shared<const StreamClock>(clocks_[work.stream]);
  works_.push_back(begun);
  if (works_.size() > most_works) works_.pop_front();
  host_limit_ = std::min<std::uint64_t>(host_limit_, begun->first_number);
  return begun->before;
}

void StreamOrder::end(StreamId stream, const VectorClock& known) {
  if (!known) return;
  const std::lock_guard lock(mutex_);
  StreamClock& clock = clocks_[stream];
  const StreamWork* last = nullptr;
  for (const BlockClock& one : *known) {
    const Work other = one.scope < Scope::device ? nullptr : work_of(one.block);
    if (other && other.get() != last) join(clock, *other->before);
    last = other.get();
  }
  clock.known = without_ended_locked(joined(clock.known, known), clock);
}

VectorClock StreamOrder::without_ended(const VectorClock& known, const StreamClock& before) const {
  const std::lock_guard lock(mutex_);
  return without_ended_locked(known, before);
}

VectorClock StreamOrder::without_ended_locked(const VectorClock& known,
                                              const StreamClock& before) const {
  const auto is_over = [&](const BlockClock& one) {
    const Work work = work_of(one.block);
    return !work || has_ended(*work, before);
  };
  if (!known || std::ranges::none_of(*known, is_over)) return known;
  auto left = std::make_shared<std::vector<BlockClock>>(*known);
  std::erase_if(*left, is_over);
  if (left->empty()) return nullptr;
  return left;
}

void StreamOrder::renumber(std::uint64_t first_number, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  const Work before = work_of(first_number);
  if (!before) return;
  auto work = std::make_shared<StreamWork>(*before);
  work->first_number = now;
  works_.push_back(std::move(work));
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
  of_all_.ended.assign(kinds_.size(), next_number());
}

void StreamOrder::raise_host(const StreamClock& clock) {
  join(clocks_[host_stream], clock);
  while (!keeps_works_ && !works_.empty() && has_ended(*works_.front(), clocks_[host_stream]))
    works_.pop_front();
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
  raise_host({std::vector<std::uint64_t>(kinds_.size(), next_number()), nullptr});
}

void StreamOrder::host_learns(const VectorClock& known) {
  if (known) host_waits_for(StreamClock{{}, known});
}

IssuedAfter::IssuedAfter(const StreamClock& host) : before_(std::exchange(issued_after, &host)) {}
IssuedAfter::~IssuedAfter() {
  issued_after = before_;
}

StreamClock StreamOrder::host_clock() const {
  const std::lock_guard lock(mutex_);
  return clocks_[host_stream];
}

/// The last one that was numbered before, which is the one that it is of.
StreamOrder::Work StreamOrder::work_of(std::uint64_t number) const {
  const auto above = std::upper_bound(
      works_.begin(), works_.end(), number,
      [](std::uint64_t wanted, const Work& work) { return wanted < work->first_number; });
  return above == works_.begin() ? nullptr : *std::prev(above);
}

StreamOrder::Work StreamOrder::work_of(const Mark& mark) const {
  const std::lock_guard lock(mutex_);
  return work_of(mark.block());
}

StreamOrder::Work StreamOrder::unordered(std::uint64_t number, const StreamClock& before) const {
  const std::lock_guard lock(mutex_);
  Work work = work_of(number);
  return !work || has_ended(*work, before) ? nullptr : work;
}

StreamOrder::Work StreamOrder::unordered(const Mark& mark, const StreamClock& before) const {
  const std::lock_guard lock(mutex_);
  Work work = work_of(mark.block());
  if (!work || has_ended(*work, before)) return nullptr;
  return is_known_locked(mark, work, before.known) ? nullptr : work;
}

bool StreamOrder::is_known(const Mark& mark, const VectorClock& known) const {
  if (!known) return false;
  const std::lock_guard lock(mutex_);
  const Work work = work_of(mark.block());
  return !work || is_known_locked(mark, work, known);
}

/// `work` made the mark. What a thread of a launch has done comes after all that its launch does,
/// whose clock has all that the work before it has learned (end()).
bool StreamOrder::is_known_locked(const Mark& mark, const Work& work,
                                  const VectorClock& known) const {
  if (!known) return false;
  const bool of_many = mark.many() == Mark::blocks;  // which ones is not known: one is enough
  if (!of_many && covers(known, mark)) return true;
  const StreamWork* last = nullptr;
  return std::any_of(known->begin(), known->end(), [&](const BlockClock& one) {
    if (one.scope < Scope::device) return false;
    const Work other = work_of(one.block);
    if (!other || other.get() == last) return false;
    last = other.get();
    if (other == work) return of_many;
    return has_ended(*work, *other->before) || covers(other->before->known, mark);
  });
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

#include "emulator/runtime/api/pending.h"

#include <algorithm>
#include <ctime>
#include <thread>
#include <utility>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/kernel_launch.h"
#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/memory/devices.h"

namespace kata::emulator {

struct Pending::Work {
  Work(cudaStream_t issued_to, std::string what, const Place& where)
      : handle(issued_to), name(std::move(what)), place(where) {}

  cudaStream_t handle;
  std::string name;
  Place place;
  std::uint64_t number = 0;
  StreamId stream = default_stream;
  int device = 0;
  StreamClock host = {};  ///< what had ended for the host when it was issued

  GraphWork call = {};                                 ///< null: a launch
  std::shared_ptr<const EventRecord> after = nullptr;  ///< it waits for that, too
  IssuedLaunch issued = {};
  std::unique_ptr<Launch> launch = nullptr;  ///< it has begun

  bool is_taken = false;  ///< a thread of the host is at it
  std::atomic<bool> has_ended = false;
};

namespace {

/// The work that this thread of the host makes now: what it issues comes before what was issued
/// after that.
thread_local const void* made_now = nullptr;

class MadeNow {
 public:
  explicit MadeNow(const void* work) : before_(std::exchange(made_now, work)) {}
  ~MadeNow() { made_now = before_; }
  MadeNow(const MadeNow&) = delete;
  MadeNow& operator=(const MadeNow&) = delete;

 private:
  const void* before_;
};

/// Threads of the host that issue work, or wait for it.
std::atomic<unsigned> host_threads = 0;

struct HostThread {
  HostThread() { ++host_threads; }
  ~HostThread() { --host_threads; }
};

void count_host_thread() {
  static thread_local const HostThread counted;
  static_cast<void>(&counted);
}

double seconds_used() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Pending& Pending::instance() {
  static auto* pending = new Pending;  // never destroyed, as device memory
  return *pending;
}

/// Whether work that is issued to the stream now has to wait.
bool Pending::is_behind(StreamId stream) {
  for (const WorkRef& work : works_) {
    if (work.get() == made_now) break;
    if (StreamOrder::instance().are_in_order(work->stream, stream)) return true;
  }
  return false;
}

void Pending::add(const WorkRef& work) {
  count_host_thread();
  got_on_at_ = seconds_used();
  work->stream = stream_of(work->handle);
  work->device = StreamOrder::instance().device_of(work->stream);
  work->host = StreamOrder::instance().host_clock();
  const auto behind =
      std::ranges::find_if(works_, [](const WorkRef& one) { return one.get() == made_now; });
  work->number = behind != works_.end() ? (*behind)->number : ++issued_;
  works_.insert(behind, work);
  any_ = true;
  StreamOrder::instance().keep_works(true);
  Runner::drive_from_host([](const Place& place) {
    instance().give_turn({"a loop of host code", place});
  });
}

bool Pending::keep(cudaStream_t stream, const GraphWork& call, const char* name, Place place,
                   std::shared_ptr<const EventRecord> after) {
  if (!any()) return false;
  const std::lock_guard lock(mutex_);
  if (!is_behind(stream_of(stream)) && (!after || after->has_happened)) return false;
  auto work = std::make_shared<Work>(stream, name, place);
  work->call = call;
  work->after = std::move(after);
  add(work);
  return true;
}

/// Of the schedule's seed; `mutex_` is held.
std::uint64_t Pending::random_below(std::uint64_t count) {
  if (random_ == 0) random_ = Runtime::instance().options.schedule_seed * 2 + 1;
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (random_ >> 33) % count;
}

void Pending::launch(IssuedLaunch issued) {
  const Place place{nullptr, issued.config.file, issued.config.line};
  if (const std::size_t bytes = issued.config.closure_bytes; bytes != 0) {
    const KeptLaunch kept(issued.config, issued.call, issued.closure);
    issued.copied = kept.closure;
    issued.closure = kept.closure.get();
    issued.params_low = kept.closure.get();
    issued.params_high = kept.closure.get() + bytes;
  }
  std::unique_lock lock(mutex_);
  const bool all_is_over =
      !any() && StreamOrder::instance().first_unordered_for_host() == ~std::uint64_t{0};
  if (all_is_over) Flags::of_all().clear();
  const Options& options = Runtime::instance().options;
  const bool is_later = options.schedule == Schedule::reverse ||
                        (options.schedule == Schedule::random && random_below(2) == 1);
  const auto handle = static_cast<cudaStream_t>(issued.config.stream);
  const bool begins = !is_behind(stream_of(handle)) && !is_later;
  const bool is_copied = issued.copied != nullptr;
  const auto work = std::make_shared<Work>(handle, issued.name, place);
  work->issued = std::move(issued);
  add(work);
  lock.unlock();
  if (begins) advance(work);
  if (is_copied) return;
  drive([&] { return work->has_ended.load(); },
        {"the launch, whose arguments cannot be copied,", place});
}

/// What waits for nothing but its turn, in the order of the schedule.
std::vector<Pending::WorkRef> Pending::may_go_on() {
  const std::lock_guard lock(mutex_);
  const StreamOrder& order = StreamOrder::instance();
  std::vector<StreamId> busy;
  std::vector<WorkRef> result;
  for (const WorkRef& work : works_) {
    const bool is_free = std::ranges::none_of(
        busy, [&](StreamId stream) { return order.are_in_order(stream, work->stream); });
    if (is_free && !work->is_taken && (!work->after || work->after->has_happened))
      result.push_back(work);
    if (std::ranges::find(busy, work->stream) == busy.end()) busy.push_back(work->stream);
  }
  const Schedule schedule = Runtime::instance().options.schedule;
  if (schedule == Schedule::reverse) std::ranges::reverse(result);
  for (std::size_t left = result.size(); schedule == Schedule::random && left > 1; --left) {
    std::swap(result[left - 1], result[random_below(left)]);
  }
  return result;
}

/// False: nothing has got on.
bool Pending::take_turns() {
  bool any_got_on = false;
  idles_ = false;
  for (const WorkRef& work : may_go_on()) any_got_on |= advance(work);
  if (any_got_on) got_on_at_ = seconds_used();
  return any_got_on;
}

bool Pending::advance(const WorkRef& work) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(work->is_taken, true)) return false;
  }
  const OnDevice on(work->device);
  const IssuedAfter issued_after(work->host);
  bool has_got_on = true;
  if (work->call) {
    const MadeNow made(work.get());
    work->call(work->handle);
    work->has_ended = true;
  } else {
    has_got_on = advance_launch(*work);
  }
  const std::lock_guard lock(mutex_);
  work->is_taken = false;
  if (work->has_ended) works_.remove(work);
  if (!works_.empty()) return has_got_on;
  any_ = false;
  StreamOrder::instance().keep_works(false);
  Runner::drive_from_host(nullptr);
  return has_got_on;
}

bool Pending::advance_launch(Work& work) {
  std::unique_lock lock(Runtime::instance().launching);
  if (!work.launch) {
    if (Errors::instance().sticky()) return work.has_ended = true;
    work.launch = begin_launch(work.issued);
    work.launch->flags = &Flags::of_all();
    work.launch->runner = &Runner::take(*work.launch);
  }
  const Runner::Turn turn = work.launch->runner->resume();
  idles_ |= turn == Runner::Turn::idled;
  if (turn != Runner::Turn::ended) return turn == Runner::Turn::got_on;
  if (work.launch->asked_cluster) {
    work.has_ended = !asks_again(*work.launch, work.issued);
    work.launch.reset();
    return true;
  }
  end_launch(*work.launch);
  StreamOrder::instance().end(work.stream, work.launch->known);
  lock.unlock();
  const MadeNow made(&work);
  run_children(*work.launch);
  return work.has_ended = true;
}

/// Nothing has got on: whether that may change. It takes some time to be sure, more where another
/// thread of the host may act, or where a kernel may be computing.
bool Pending::may_still_go_on() {
  constexpr double enough = 0.05, for_others = 10;  // of what is slow
  const double limit = Runtime::instance().options.slow_after_s * enough;
  const bool is_unsure = idles_ || host_threads > 1;
  return seconds_used() - got_on_at_ < limit * (is_unsure ? for_others : 1);
}

/// One turn of all. Ends them if they would wait for ever.
void Pending::wait_once(const HostCall& call) {
  const bool has_got_on = take_turns();
  if (Errors::instance().sticky()) return end_all(nullptr);
  if (has_got_on) return;
  if (!may_still_go_on()) return end_all(&call);
  std::this_thread::yield();
}

void Pending::drive(const std::function<bool()>& is_done, const HostCall& call) {
  count_host_thread();
  while (!is_done()) wait_once(call);
}

/// Waits for what was issued before.
void Pending::finish(const std::function<bool(const Work&)>& is_wanted, const HostCall& call) {
  if (!any()) return;
  const std::uint64_t last = [&] {
    const std::lock_guard lock(mutex_);
    return issued_;
  }();
  drive(
      [&] {
        const std::lock_guard lock(mutex_);
        for (const WorkRef& work : works_) {
          if (work.get() == made_now) break;
          if (work->number <= last && is_wanted(*work)) return false;
        }
        return true;
      },
      call);
}

void Pending::finish_stream(StreamId stream, const HostCall& call) {
  finish(
      [&](const Work& work) { return StreamOrder::instance().are_in_order(work.stream, stream); },
      call);
}

void Pending::finish_device(int device, const HostCall& call) {
  finish([&](const Work& work) { return work.device == device; }, call);
}

void Pending::finish_event(const EventRecord& event, const HostCall& call) {
  if (any()) drive([&] { return event.has_happened.load(); }, call);
}

void Pending::finish_all(const HostCall& call) {
  finish([](const Work&) { return true; }, call);
}

void Pending::give_turn(const HostCall& call) {
  count_host_thread();
  if (any()) wait_once(call);
}

bool Pending::has_finished(StreamId stream, const HostCall& call) {
  give_turn(call);
  const std::lock_guard lock(mutex_);
  return !is_behind(stream);
}

bool Pending::has_happened(const EventRecord& event, const HostCall& call) {
  if (!event.has_happened) give_turn(call);
  return event.has_happened;
}

bool Pending::is_busy(int device) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(works_, [&](const WorkRef& work) { return work->device == device; });
}

std::shared_ptr<const Blocked> Pending::blocked(const Work& work, const HostCall& call) const {
  auto result = std::make_shared<Blocked>();
  result->host = {call.function, call.place};
  for (int device = 0; device < device_count(); ++device) {
    const auto is_there = [&](const WorkRef& one) { return one->device == device; };
    if (std::ranges::none_of(works_, is_there)) result->idle_devices.push_back(device);
  }
  for (const WorkRef& one : works_) {
    if (!one->launch && !one->after)
      result->queued.push_back({one->name, one->place, one->device, one->stream == work.stream});
  }
  return result;
}

/// `call`: since the host waits there for ever; null: a launch has failed.
void Pending::end_all(const HostCall* call) {
  std::vector<WorkRef> begun;
  {
    const std::lock_guard lock(mutex_);
    for (const WorkRef& work : works_) {
      if (!work->launch || work->is_taken) continue;
      if (call) work->launch->blocked = blocked(*work, *call);
      work->launch->is_to_end = true;
      begun.push_back(work);
    }
  }
  for (const WorkRef& work : begun) advance(work);
  while (take_turns()) {
  }
}

}  // namespace kata::emulator

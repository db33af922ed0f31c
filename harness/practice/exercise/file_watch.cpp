#include "practice/exercise/file_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "support/paths.h"

namespace kata {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int quiet_ms = 25;  // no event for so long: the editor has finished
constexpr auto longest_wait = 100ms;

// A file that is open for writing may be half written: what counts is that it is closed.
constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

Result<FileWatch> FileWatch::of(const std::filesystem::path& file) {
  FileWatch watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK), file);
  if (watch.descriptor_ < 0 || !watch.watch_folder()) {
    return Error{
        fmt::format("cannot watch {}: {}. Too many programs may be watching files: see "
                    "/proc/sys/fs/inotify",
                    shown(file), std::strerror(errno))};
  }
  return watch;
}

FileWatch::FileWatch(int descriptor, std::filesystem::path file)
    : descriptor_(descriptor), file_(std::move(file)) {}

FileWatch::FileWatch(FileWatch&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      watch_(other.watch_),
      file_(std::move(other.file_)) {}

FileWatch& FileWatch::operator=(FileWatch&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(watch_, other.watch_);
  std::swap(file_, other.file_);
  return *this;
}

FileWatch::~FileWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileWatch::watch_folder() {
  watch_ = inotify_add_watch(descriptor_, file_.parent_path().c_str(), events);
  return watch_ >= 0;
}

bool FileWatch::changed() {
  if (lost()) return watch_folder();
  bool any = read_events();
  const auto deadline = Clock::now() + longest_wait;
  while (any && Clock::now() < deadline) {
    pollfd more{descriptor_, POLLIN, 0};
    if (poll(&more, 1, quiet_ms) <= 0) break;
    read_events();
  }
  return any;
}

bool FileWatch::read_events() {
  bool ours = false;
  alignas(inotify_event) std::array<char, 1 << 14> buffer;
  for (;;) {
    const ssize_t size = read(descriptor_, buffer.data(), buffer.size());
    if (size <= 0) return ours;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      const std::string name = event->len > 0 ? event->name : "";
      const bool folder_gone = event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED);
      if (event->wd == watch_ && folder_gone) {
        if (!(event->mask & IN_IGNORED)) inotify_rm_watch(descriptor_, watch_);
        watch_ = -1;
        ours = true;
      }
      ours |= name == file_.filename().string() || (event->mask & IN_Q_OVERFLOW);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

}  // namespace kata

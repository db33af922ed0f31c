#include "emulator/runtime/launch/host_copies.h"

#include <map>
#include <utility>

#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

HostCopies& HostCopies::instance() {
  static auto* copies = new HostCopies;
  return *copies;
}

void HostCopies::add(const void* device, std::size_t bytes, CopyDirection direction,
                     const Place& place) {
  if (!wanted_) return;
  const std::lock_guard lock(mutex_);
  if (!copies_.empty() && copies_.back().place == place) {
    HostCopy& last = copies_.back().copy;
    if (last.direction == direction &&
        static_cast<const char*>(last.device) + last.bytes == device) {
      last.bytes += bytes;
      return;
    }
  }
  copies_.push_back({{.device = device, .bytes = bytes, .direction = direction}, place});
}

std::vector<HostCopy> HostCopies::take() {
  const std::lock_guard lock(mutex_);
  std::map<Place, SourceLine> lines;  // a loop may copy element by element
  std::vector<HostCopy> copies;
  for (Copied& one : std::exchange(copies_, {})) {
    const auto [line, is_new] = lines.try_emplace(one.place);
    if (is_new) line->second = source_line(one.place);
    one.copy.file = line->second.file;
    one.copy.line = line->second.line;
    copies.push_back(std::move(one.copy));
  }
  return copies;
}

std::vector<HostCopy> take_host_copies() {
  return HostCopies::instance().take();
}

}  // namespace kata::emulator

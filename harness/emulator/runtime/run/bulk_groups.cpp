#include "emulator/runtime/run/bulk_groups.h"

#include <algorithm>

#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/run/block.h"

namespace kata::emulator {

BulkGroups::Stores& BulkGroups::mine() {
  if (stores_.empty()) stores_.resize(threads_);
  return stores_[running.thread->id];
}

void BulkGroups::add(std::uint64_t read, const Place& place) {
  mine().pending.push_back({read, mine().group, place});
}

void BulkGroups::commit() {
  ++mine().group;
}

std::vector<std::uint64_t> BulkGroups::take(unsigned groups_left) {
  Stores& stores = mine();
  const auto later =
      std::find_if(stores.pending.begin(), stores.pending.end(),
                   [&](const Store& store) { return store.group + groups_left >= stores.group; });
  std::vector<std::uint64_t> taken;
  for (auto store = stores.pending.begin(); store != later; ++store) taken.push_back(store->read);
  stores.pending.erase(stores.pending.begin(), later);
  return taken;
}

const Place* BulkGroups::left() const {
  if (stores_.empty()) return nullptr;
  const auto& pending = stores_[running.thread->id].pending;
  return pending.empty() ? nullptr : &pending.front().place;
}

}  // namespace kata::emulator

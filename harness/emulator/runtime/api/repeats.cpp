#include "emulator/runtime/api/repeats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {
namespace {

constexpr std::uint64_t most_kept_bytes = std::uint64_t{1} << 30;
/// Bytes that are hashed in a fraction of the time that one access takes, checked.
constexpr std::uint64_t bytes_per_access = 16;

std::uint64_t mix(std::uint64_t hash) {
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

/// Not for an adversary: of 64 bits, in eight lanes, so that memory is what it waits for.
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  constexpr std::size_t lanes = 8, step = lanes * sizeof(std::uint64_t);
  std::array<std::uint64_t, lanes> hash;
  for (std::size_t i = 0; i < lanes; ++i) hash[i] = mix(i + 1);
  const auto* at = static_cast<const char*>(data);
  const auto add = [&](const char* from) {
    for (std::size_t i = 0; i < lanes; ++i) {
      std::uint64_t word;
      std::memcpy(&word, from + i * sizeof word, sizeof word);
      hash[i] = std::rotl((hash[i] ^ word) * 0x9e3779b97f4a7c15, 29);
    }
  };
  for (; bytes >= step; at += step, bytes -= step) add(at);
  std::array<char, step> rest{};
  std::memcpy(rest.data(), at, bytes);
  add(rest.data());
  std::uint64_t result = bytes;
  for (const std::uint64_t lane : hash) result = mix(result ^ lane);
  return result;
}

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Repeats& Repeats::instance() {
  static auto* repeats = new Repeats;  // never destroyed, as device memory
  return *repeats;
}

void Repeats::forget_written() {
  for (const AddressRange& range : DeviceMemory::take_host_writes()) {
    const auto is_written = [&](const auto& one) {
      return one.first < range.high && range.low < one.first + one.second.bytes;
    };
    std::erase_if(current_, is_written);
    std::erase_if(filled_, is_written);
  }
}

std::uint64_t Repeats::bytes_to_hash(const std::vector<Allocation>& all) const {
  std::uint64_t bytes = 0;
  for (const Allocation& one : all)
    if (!current_.contains(one.low)) bytes += one.bytes;
  return bytes;
}

std::vector<Repeats::Buffer> Repeats::hash_of_all(const std::vector<Allocation>& all) {
  std::vector<Buffer> buffers;
  for (const Allocation& one : all) {
    const auto known = current_.find(one.low);
    if (known != current_.end()) {
      buffers.push_back(known->second);
      continue;
    }
    const std::uintptr_t offset = one.low - arena_low;
    const std::size_t words = (one.bytes + 3) / 4;
    buffers.push_back({one.low, one.bytes,
                       hash_of(reinterpret_cast<const void*>(one.low), one.bytes),
                       hash_of(state_of(offset), words)});
    // Host code writes the others without a call.
    if (one.type == MemoryType::device) current_.emplace(one.low, buffers.back());
  }
  return buffers;
}

bool Repeats::holds(const void* low, const Fill& fill) {
  const std::lock_guard lock(mutex_);
  forget_written();
  const auto known = filled_.find(address_of(low));
  return known != filled_.end() && known->second == Filled{fill.width, fill.value, fill.element};
}

void Repeats::note_fill(const void* low, const Fill& fill) {
  const std::lock_guard lock(mutex_);
  forget_written();
  filled_[address_of(low)] = {fill.width, fill.value, fill.element};
}

std::string Repeats::key_of(const Launch& launch, const std::vector<Buffer>& buffers) {
  const LaunchConfig& config = launch.config;
  std::string key;
  append(key, launch.call);
  append(key, config.grid);
  append(key, config.block);
  append(key, config.cluster);
  append(key, config.shared_bytes);
  append(key, config.stream);
  key.append(static_cast<const char*>(launch.closure), config.closure_bytes);
  for (const Buffer& buffer : buffers) append(key, buffer);
  for (const AddressRange& range : launch.variables->constants())
    append(key, hash_of(reinterpret_cast<const void*>(range.low), range.high - range.low));
  return key;
}

bool Repeats::take(const Launch& launch) {
  begun_.reset();
  if (!launch.options.copies_repeats || launch.config.closure_bytes == 0) return false;
  const std::lock_guard lock(mutex_);
  History& history = histories_[reinterpret_cast<const void*>(launch.call)];
  if (history.launches++ < launch.options.counted_launches) return false;
  if (history.wait > 0) {
    --history.wait;
    return false;
  }
  forget_written();
  const std::vector<Allocation> all = DeviceMemory::instance().buffers();
  if (bytes_to_hash(all) > history.cost * bytes_per_access) return false;
  const std::uint64_t used = DeviceMemory::bytes_total() - DeviceMemory::instance().bytes_free();
  std::uint64_t compared = 0;
  for (const Allocation& one : all) compared += one.bytes;
  if (compared != used) return false;  // the rest is on the heap of kernels
  std::vector<Buffer> buffers = hash_of_all(all);
  std::string key = key_of(launch, buffers);
  const auto known = known_.find(key);
  if (known == known_.end()) {
    begun_ = {std::move(key), std::move(buffers)};
    return false;
  }
  for (const Change& change : known->second) {
    std::memcpy(reinterpret_cast<void*>(change.low), change.content.data(), change.content.size());
    if (const auto now = current_.find(change.low); now != current_.end())
      now->second.content = change.hash;
    filled_.erase(change.low);
  }
  history.misses = 0;
  ++taken_;
  return true;
}

void Repeats::keep(const Launch& launch) {
  if (!launch.options.copies_repeats) return;
  const std::lock_guard lock(mutex_);
  current_.clear();
  filled_.clear();
  History& history = histories_[reinterpret_cast<const void*>(launch.call)];
  history.cost = launch.work + 2 * launch.blocks * launch.threads_per_block;
  if (!begun_) return;
  const Begun begun = *std::exchange(begun_, std::nullopt);
  // A kernel that goes on where it left off repeats nothing, and need not be compared each time.
  constexpr std::uint64_t patience = 4, longest_wait = 64;
  if (++history.misses % patience == 0) history.wait = std::min(history.misses, longest_wait);
  if (launch.error || !launch.is_repeatable || !launch.children.empty()) return;
  const std::vector<Buffer> buffers = hash_of_all(DeviceMemory::instance().buffers());
  if (!std::ranges::equal(buffers, begun.buffers, {}, &Buffer::states, &Buffer::states))
    return;  // the next launch finds the same bytes written
  std::vector<Change> changes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& now = buffers[i];
    if (now.content == begun.buffers[i].content) continue;
    const auto* const content = reinterpret_cast<const std::byte*>(now.low);
    changes.push_back({now.low, now.content, {content, content + now.bytes}});
    bytes_kept_ += now.bytes;
  }
  if (bytes_kept_ > most_kept_bytes) {
    known_.clear();
    bytes_kept_ = 0;
    return;
  }
  known_.emplace(begun.key, std::move(changes));
}

std::uint64_t repeated_launches() {
  return Repeats::instance().taken();
}

}  // namespace kata::emulator

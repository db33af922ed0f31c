#include "emulator/runtime/check/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/runtime/check/kernel_record.h"
#include "emulator/runtime/check/messages.h"
#include "emulator/runtime/check/races.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

LaunchProfile profile_of(const Launch& launch) {
  LaunchProfile profile = *launch.profile;
  profile.counts = totals_of(launch);
  for (AccessCount* count :
       {&profile.counts.global_load, &profile.counts.global_store, &profile.counts.shared_load,
        &profile.counts.shared_store, &profile.counts.atomic})
    count->worst = {};  // unused
  for (const auto& [instruction, made] : launch.requests) {
    profile.lines += made.lines;
    if (instruction.kind == AccessKind::shared_atomic) profile.shared_atomic_turns += made.needed;
    if (instruction.kind == AccessKind::global_atomic)
      profile.global_atomic_sectors += made.atomic_sectors;
  }
  return profile;
}

}  // namespace

Findings& Findings::instance() {
  static auto* findings = new Findings;  // host code may still run when statics are gone
  return *findings;
}

void Findings::add(Finding finding, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  add_locked(std::move(finding), count);
}

void Findings::add_locked(Finding finding, std::uint64_t count) {
  const auto same = [&](const Counted& known) {
    const Finding& other = known.finding;
    return other.kind == finding.kind && other.severity == finding.severity &&
           other.file == finding.file && other.line == finding.line &&
           other.kernel == finding.kernel && (finding.line > 0 || other.message == finding.message);
  };
  const auto known = std::find_if(findings_.begin(), findings_.end(), same);
  if (known == findings_.end()) {
    findings_.push_back({std::move(finding), count});
  } else {
    known->count += count;
  }
}

void Findings::add_host_incident(const Incident& incident) {
  const std::lock_guard lock(mutex_);
  host_incidents_.add(incident);
}

void Findings::confirm_host_reads(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  host_incidents_.remove_if([&](const Incident& incident) {
    const auto* race = std::get_if<HostRace>(&incident.fault);
    return race && race->access.address == address && !race->access.is_write &&
           race->other.is_atomic;
  });
}

void Findings::settle_host_incidents() {
  for (const Incident& incident : host_incidents_.sorted(no_order))
    add_locked(finding_of(incident, nullptr), incident.count);
  host_incidents_.clear();
}

void Findings::add_launch(const Launch& launch) {
  std::unique_lock lock(mutex_);
  settle_host_incidents();
  switches_ += launch.blocks * launch.threads_per_block + launch.work / spin_price;
  // How often something happened in a launch that was ended depends on how far each block came.
  const bool ended = launch.abort_order != no_order;
  for (const Incident& incident :
       causes(launch.incidents.sorted(launch.abort_order), launch.confirmed_reads)) {
    // So does how often a race is seen.
    const bool is_race = std::holds_alternative<Race>(incident.fault);
    add_locked(finding_of(incident, &launch), is_race ? 0 : ended ? 1 : incident.count);
  }
  if (launch.profile) {
    profiles_.push_back(profile_of(launch));
    return;
  }
  KernelRecord record = record_of(launch);
  if (!launch.options.launched) {
    kernels_.push_back(std::move(record));
    return;
  }
  lock.unlock();
  launch.options.launched(record);
}

std::vector<Finding> Findings::in_words() const {
  std::vector<Finding> result;
  for (const Counted& counted : findings_) {
    result.push_back(counted.finding);
    if (counted.count <= 1) continue;
    std::string& note = result.back().note;
    note += fmt::format(fmt::runtime(note.empty() ? "{} more like it" : " ({} more like it)"),
                        counted.count - 1);
  }
  return result;
}

std::vector<Finding> Findings::take() {
  const std::lock_guard lock(mutex_);
  settle_host_incidents();
  const std::vector<Finding> result = in_words();
  findings_.clear();
  return result;
}

std::vector<Finding> Findings::so_far() {
  const std::lock_guard lock(mutex_);
  settle_host_incidents();
  return in_words();
}

void Findings::add_memset(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  LaunchProfile fill;
  fill.counts.name = "cudaMemset";
  fill.counts.global_store.bytes = bytes;
  profiles_.push_back(fill);
}

std::vector<LaunchProfile> Findings::take_profiles() {
  const std::lock_guard lock(mutex_);
  return std::exchange(profiles_, {});
}

std::vector<KernelRecord> Findings::take_kernels() {
  const std::lock_guard lock(mutex_);
  return std::exchange(kernels_, {});
}

std::uint64_t Findings::take_switches() {
  const std::lock_guard lock(mutex_);
  return std::exchange(switches_, 0);
}

}  // namespace kata::emulator

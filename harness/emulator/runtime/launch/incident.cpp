#include "emulator/runtime/launch/incident.h"

#include <algorithm>
#include <utility>

namespace kata::emulator {

namespace {

/// How far apart the racing threads are, then the two that are reported; 0 if it is no race.
unsigned distance_of(const Incident& incident) {
  const auto* race = std::get_if<Race>(&incident.fault);
  if (!race) return 0;
  const bool apart =
      incident.block != race->other.block || incident.thread / 32 != race->other.thread / 32;
  return 2 * race->distance + apart;
}

/// Whether what other incidents of the launch tell may be its cause: a race, often.
bool may_follow(const Incident& incident) {
  return std::holds_alternative<Deadlock>(incident.fault) ||
         std::holds_alternative<WaitsForOthers>(incident.fault) ||
         std::holds_alternative<Timeout>(incident.fault);
}

/// Both are of one kind.
void widen(Incident& incident, const Incident& by) {
  // One block whose warps part is enough for an error.
  if (auto* const mixed = std::get_if<BarrierMixed>(&incident.fault))
    mixed->whole_warps &= std::get<BarrierMixed>(by.fault).whole_warps;
  if (auto* const exited = std::get_if<BarrierExited>(&incident.fault))
    exited->whole_warps &= std::get<BarrierExited>(by.fault).whole_warps;
  auto* const fault = std::get_if<OutOfBounds>(&incident.fault);
  if (!fault) return;
  const auto& other = std::get<OutOfBounds>(by.fault);
  fault->lowest = std::min(fault->lowest, other.lowest);
  fault->highest = std::max(fault->highest, other.highest);
}

}  // namespace

Place other_place(const Incident& incident) {
  if (const auto* race = std::get_if<Race>(&incident.fault)) return race->other.place;
  if (const auto* race = std::get_if<StreamRace>(&incident.fault)) return race->other.place;
  if (const auto* race = std::get_if<HostRace>(&incident.fault)) return race->other.place;
  if (const auto* copy = std::get_if<CopyNotArrived>(&incident.fault)) return copy->copy;
  if (const auto* read = std::get_if<AsyncStillReads>(&incident.fault)) return read->read;
  if (const auto* async = std::get_if<AsyncNotFenced>(&incident.fault)) return async->write;
  if (const auto* read = std::get_if<ReadOnlyWritten>(&incident.fault)) return read->write;
  if (const auto* differ = std::get_if<RegistersDiffer>(&incident.fault)) return differ->other;
  if (const auto* layout = std::get_if<SwizzleDiffers>(&incident.fault)) return layout->copy;
  if (const auto* mixed = std::get_if<BarrierMixed>(&incident.fault)) return mixed->other;
  if (const auto* deadlock = std::get_if<Deadlock>(&incident.fault)) return deadlock->other;
  return {};
}

void swap_sides(Incident& incident) {
  Race& race = std::get<Race>(incident.fault);
  std::swap(incident.place, race.other.place);
  std::swap(incident.block, race.other.block);
  std::swap(incident.thread, race.other.thread);
  std::swap(race.kind, race.other.kind);
  std::visit([&](auto& access) { std::swap(access.is_write, race.other.is_write); }, race.access);
  if (auto* shared = std::get_if<SharedAccess>(&race.access)) std::swap(shared->by, race.other.by);
}

IncidentLog::Key IncidentLog::key_of(const Incident& incident) {
  return {incident.fault.index(), incident.place, other_place(incident), distance_of(incident)};
}

bool IncidentLog::has(const Incident& incident) const {
  const auto known = incidents_.find(key_of(incident));
  return known != incidents_.end() && std::tie(known->second.order, known->second.thread) <=
                                          std::tie(incident.order, incident.thread);
}

void IncidentLog::add(const Incident& incident) {
  const auto [position, is_new] = incidents_.try_emplace(key_of(incident), incident);
  if (is_new) return;
  Incident& known = position->second;
  const Incident other = known;
  if (std::tie(incident.order, incident.thread) < std::tie(known.order, known.thread))
    known = incident;
  known.count = other.count + incident.count;
  widen(known, other);
  widen(known, incident);
}

void IncidentLog::merge(const IncidentLog& other) {
  for (const auto& [key, incident] : other.incidents_) add(incident);
}

std::vector<Incident> IncidentLog::sorted(std::uint64_t last_order) const {
  std::vector<Incident> result;
  for (const auto& [key, incident] : incidents_) {
    if (incident.order <= last_order) result.push_back(incident);
  }
  std::stable_sort(result.begin(), result.end(), [](const Incident& a, const Incident& b) {
    return std::tuple(may_follow(a), distance_of(b), a.order, a.thread, a.place.line,
                      a.place.code) <
           std::tuple(may_follow(b), distance_of(a), b.order, b.thread, b.place.line, b.place.code);
  });
  return result;
}

}  // namespace kata::emulator

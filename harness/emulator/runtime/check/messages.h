#pragma once
// Incidents in words: what happened, to whom, and what to look for.

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/launch.h"
#include "emulator/types/finding.h"

namespace kata::emulator {

/// `launch` is null for what host code did.
Finding finding_of(const Incident& incident, const Launch* launch);

}  // namespace kata::emulator

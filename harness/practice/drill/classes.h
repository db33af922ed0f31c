#pragma once
// Which kinds of fault a reader may call one. Two honest readers name some faults differently.

#include <set>

#include "faults/fault.h"

namespace kata::drill {

/// The class of the fault, those that its change shows, and those of the judge's findings.
std::set<faults::FaultClass> fitting_classes(faults::FaultClass fault, const std::string& right,
                                             const std::string& faulty, const Report& report);

/// How a person would name a finding of that kind.
std::optional<faults::FaultClass> class_of(FindingKind kind);

}  // namespace kata::drill

#pragma once
// "Viva": the person's own kernel that passed, with one small change. The person says how it
// ends, and for which input it fails.

#include "practice/drill/item.h"
#include "practice/history.h"

namespace kata::drill {

/// The topic of the questions about a file's own counters; the others are about changes.
inline constexpr const char* counters_topic = "counters";

/// Changes of the exercises that passed as they are now. An Error if there is none: what to do.
Result<std::vector<Offer>> viva_offers(const std::string& operator_name, const History& history);

/// Has the changed file judged, which takes a second or two. An Error if the file has changed
/// since, or if the judge cannot say how it ends.
Result<std::unique_ptr<Item>> make_viva(const Offer& offer);

}  // namespace kata::drill

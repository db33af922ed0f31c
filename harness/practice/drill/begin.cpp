#include "practice/drill/begin.h"

#include <random>

#include "practice/drill/bug.h"
#include "practice/drill/choose.h"
#include "support/process.h"

namespace kata::drill {

Result<std::unique_ptr<Item>> begin(std::vector<Offer> offers, const History& history,
                                    std::uint32_t seed, State& state) {
  const auto results = history.drill_results();
  if (!results) return results.error();
  std::mt19937 chance(seed);
  Error last{"there is nothing to ask"};
  for (const Offer& offer : in_order(std::move(offers), *results, day_of(now()), chance)) {
    Result<std::unique_ptr<Item>> item = make(offer, /*begin=*/true);
    if (interrupted()) return Error{"interrupted"};
    if (!item) {
      last = item.error();
      continue;
    }
    state.offer = offer;
    if (offer.kind == Kind::bug) state.sealed = bug_file(offer.problem->name);
    return item;
  }
  return last;
}

Result<std::unique_ptr<Item>> resume(Record& record) {
  auto item = make(record.state().offer, /*begin=*/false);
  if (item)
    record.state().clock.resume(instant_now());
  else if (const auto error = interrupted() ? std::nullopt : record.abandon())
    return *error;
  return item;
}

}  // namespace kata::drill

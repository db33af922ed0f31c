#include "practice/drill/bug_text.h"

#include <cctype>
#include <set>

#include "practice/drill/bug.h"
#include "practice/drill/reading.h"
#include "support/files.h"

namespace fs = std::filesystem;

namespace kata::drill {
namespace {

using faults::Fault;
using faults::FaultClass;

constexpr std::size_t most_changed_lines = 8;

/// Words by which a comment names what a fault of that class breaks.
std::set<std::string> words_of_class(FaultClass fault_class) {
  switch (fault_class) {
    case FaultClass::race:
    case FaultClass::barrier:
      return {"race", "races", "barrier", "barriers", "order", "__syncthreads", "__syncwarp"};
    case FaultClass::overflow:
      return {"overflow", "overflows", "int64", "size_t"};
    case FaultClass::memory_order:
      return {"fence", "fences", "order", "visible", "wait", "waits", "parity", "phase"};
    case FaultClass::stale_state:
      return {"previous", "earlier", "keep", "keeps", "kept", "reset", "call", "calls"};
    default:
      return {};
  }
}

/// What a comment may not say: words of the fault and of its class, and names and numbers that it
/// changes, but for those that are everywhere.
std::set<std::string> telling_words(const Fault& fault, const std::string& right,
                                    const std::string& faulty) {
  std::set<std::string> telling = changed_words(right, faulty);
  std::erase_if(telling, [](const std::string& word) {
    return word.size() < (std::isdigit(static_cast<unsigned char>(word[0])) ? 2u : 4u);
  });
  telling.merge(long_words(fault.what));
  telling.merge(long_words(fault.words));
  telling.merge(words_of_class(fault.fault_class));
  return telling;
}

}  // namespace

Result<Texts> texts_of(const Fault& fault, const fs::path& file) {
  const Result<faults::FaultyKernel> kernel = faults::plant(fault);
  if (!kernel) return kernel.error();
  const std::string right = without_header(read_file(fault.of).value_or("")),
                    faulty = without_header(kernel->text);
  const std::set<std::string> telling = telling_words(fault, right, faulty);
  const auto presented = [&](const std::string& text, const std::vector<Hunk>& hunks) {
    return moved(without_telling_comments(text, hunks, telling), fault.of.parent_path(),
                 file.parent_path());
  };
  return Texts{presented(right, hunks_between(faulty, right)),
               presented(faulty, hunks_between(right, faulty))};
}

bool is_fair(const Fault& fault) {
  if (fault.fault_class == FaultClass::cheating || fault.kind == FindingKind::timeout ||
      fault.only_large || !fault.kernel.empty())
    return false;
  const Result<faults::FaultyKernel> kernel = faults::plant(fault);
  if (!kernel) return false;
  const std::vector<Hunk> hunks = hunks_between(read_file(fault.of).value_or(""), kernel->text);
  return hunks.size() == 1 && changed_lines(hunks) <= most_changed_lines;
}

Result<std::vector<Offer>> bug_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (!operator_name.empty() && problem.name != operator_name) continue;
    const Result<std::vector<Fault>> all = faults::read_faults(problem.name);
    if (!all) return all.error();
    for (const Fault& fault : *all) {
      if (!is_fair(fault)) continue;
      offers.push_back({Kind::bug, problem.name + "/" + fault.name,
                        faults::to_string(fault.fault_class), fault.level, &problem});
    }
  }
  return offers;
}

}  // namespace kata::drill

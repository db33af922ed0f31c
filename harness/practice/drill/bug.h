#pragma once
// "Find the bug": a kernel with one planted fault. The person names the line, the kind and an input
// that shows it, then repairs the file.

#include <filesystem>

#include "faults/fault.h"
#include "practice/drill/item.h"

namespace kata::drill {

/// Where the faulty kernel is laid: drills/<operator>.cu in the person's folder.
std::filesystem::path bug_file(const std::string& operator_name);

/// The faults of one operator, or of all for an empty name, that change few lines. An Error names
/// the line of a faults.toml that is wrong.
Result<std::vector<Offer>> bug_offers(const std::string& operator_name);

/// Plants the fault and has the judge look at it, which takes a second or two. An Error if the
/// judge does not see it, or if no single change of its patch is the fault: it cannot be asked.
/// `begin`: writes bug_file().
Result<std::unique_ptr<Item>> make_bug(const Offer& offer, bool begin);

}  // namespace kata::drill

#pragma once
// A planted fault as a text to read: without its header, and without comments that give it away.

#include <filesystem>
#include <string>

#include "faults/fault.h"

namespace kata::drill {

/// Both texts of an item, as they lie in the person's folder.
struct Texts {
  std::string right, faulty;
};

Result<Texts> texts_of(const faults::Fault& fault, const std::filesystem::path& file);

/// One change of few lines: a patch of several also turns one right kernel into another, which is
/// nothing to find or to repair.
bool is_fair(const faults::Fault& fault);

}  // namespace kata::drill

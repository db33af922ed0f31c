#pragma once
#include <string>

#include "diagnose/diagnosis.h"

namespace kata::diagnose {

/// The first cause with its evidence, source lines and remedy, then the next two; or why there is
/// none. 80 columns.
std::string text_of(const Diagnosis& diagnosis, bool color);

}  // namespace kata::diagnose

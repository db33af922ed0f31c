#pragma once
// The modules of a test program, from nothing.

#include <cstdlib>

#include "scratch.h"

namespace kata::test {

/// Until the program ends: findings look up lines in the modules. One for all its tests: each
/// folder of modules costs the emulator's headers once more, three seconds.
inline void use_own_cache() {
  static const Scratch cache;
  setenv("KATA_CACHE", cache.path().c_str(), 1);
}

}  // namespace kata::test

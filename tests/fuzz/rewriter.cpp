#include <algorithm>

#include "emulator/rewriter/rewrite.h"
#include "fuzz/targets.h"

namespace kata::fuzz {

void rewriter(std::string_view source) {
  emulator::includes(source);
  for (const bool clang : {false, true}) {
    const emulator::Rewritten rewritten = emulator::rewrite(source, {.clang = clang});
    require(std::count(rewritten.text.begin(), rewritten.text.end(), '\n') ==
            std::count(source.begin(), source.end(), '\n'));
  }
}

}  // namespace kata::fuzz

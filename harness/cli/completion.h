#pragma once
// What a shell offers when a person presses Tab.

#include <string>
#include <vector>

#include "cli/description.h"

namespace kata::cli {

struct Completion {
  std::string word;
  std::string help = {};
};

/// What `words.back()`, which is being typed, can become. `words` are those behind the program's
/// name. Empty: the shell offers files.
std::vector<Completion> completions(const ProgramDescription& program,
                                    std::vector<std::string> words);

}  // namespace kata::cli

#pragma once
// Everything that reads a text which kata did not write just now. A target must return for
// any text: the fuzzers (fuzzer/main.cpp) try new ones, the test replays those in corpus/.

#include <cstdlib>
#include <string_view>

namespace kata::fuzz {

void rewriter(std::string_view source);  ///< CUDA C++ (emulator/rewriter)
void ptx(std::string_view statement);    ///< the text of an asm statement (emulator/runtime)
void size(std::string_view argument);    ///< the argument of --size
void answers(std::string_view lines);    ///< a worker's answers, its job, a report
void profiles(std::string_view line);    ///< of profiles.jsonl
void history(std::string_view lines);    ///< what `kata import` reads

/// What must hold for every text; a fuzzer takes abort() for a find.
inline void require(bool holds) {
  if (!holds) std::abort();
}

struct Target {
  const char* name;  ///< of its file in corpus/
  void (*run)(std::string_view);
};
inline constexpr Target targets[] = {{"rewriter", rewriter}, {"ptx", ptx},
                                     {"size", size},         {"answers", answers},
                                     {"profiles", profiles}, {"history", history}};

}  // namespace kata::fuzz

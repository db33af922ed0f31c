#pragma once
// Small changes of a kernel's text, as a slip of the hand would make them. Whether one breaks it is
// for the judge to say.

#include <string>
#include <vector>

namespace kata::drill {

struct Mutant {
  std::string operation;  ///< "barrier"
  std::string topic;      ///< "barriers": has changes of both sorts
  int line = 0;           ///< of the text that it changes
  std::string text;       ///< all of it, changed
  int level = 1;
  int place = 0;            ///< in mutants_of()
  bool harmless = false;    ///< as far as can be told without the judge
  bool same = false;        ///< harmless in every kernel: it computes the same
  const char* why = "";     ///< it breaks nothing, where it does not
  const char* breaks = "";  ///< what it does to the kernel, where it breaks
};

/// Every place where one of the operations applies, in the order of the text.
std::vector<Mutant> mutants_of(const std::string& text);

std::vector<std::string> mutation_names();

}  // namespace kata::drill

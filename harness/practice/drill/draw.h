#pragma once
// Chance for the making of an item.

#include <random>
#include <string>
#include <vector>

namespace kata::drill {

/// Chance: the same for the same item.
class Draw {
 public:
  explicit Draw(const std::string& item) {
    std::seed_seq seed(item.begin(), item.end());
    chance_.seed(seed);
  }

  unsigned below(unsigned most) { return static_cast<unsigned>(chance_() % most); }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<unsigned>(choices.size()))];
  }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(static_cast<unsigned>(choices.size()))];
  }

 private:
  std::mt19937 chance_;
};

}  // namespace kata::drill

#pragma once
// The families of questions: each draws its numbers and computes the truth from them.

#include <random>
#include <span>
#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata::drill {

struct Number {
  std::string text;
  double truth = 0;
  double tolerance = 0;  ///< relative; 0: to the last digit
  std::string steps;     ///< how it follows
};

struct Exercise {
  std::string setting = {};
  std::vector<Number> numbers = {};
  std::string program = {};  ///< that was run for the truth: a file that can be run again
};

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

struct Family {
  const char* name;
  /// `problem`: what it is about; null where `about_operators` is false.
  Result<Exercise> (*make)(Draw& draw, int level, const Problem* problem);
  bool about_operators = false;
  /// Whether it can be asked of that operator.
  bool (*fits)(const Problem& problem) = nullptr;
};

std::span<const Family> chip_families();
std::span<const Family> operator_families();
std::span<const Family> access_families();

/// "1,536"
std::string grouped(double whole);

}  // namespace kata::drill

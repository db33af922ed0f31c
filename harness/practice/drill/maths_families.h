#pragma once
// The families of questions: each draws its numbers and computes the truth from them.

#include <span>
#include <string>
#include <vector>

#include "practice/drill/answer.h"
#include "practice/drill/draw.h"
#include "practice/drill/item.h"
#include "practice/drill/maths.h"
#include "problems/spec/problem.h"
#include "support/result.h"
#include "timing/chip.h"

namespace kata::drill {

struct Number {
  std::string text;
  double truth = 0;
  double tolerance = 0;  ///< relative; 0: to the last digit
  std::string steps;     ///< how it follows
  Unit unit = Unit::plain;
};

struct Exercise {
  std::string setting = {};
  std::vector<Number> numbers = {};
  std::string program = {};  ///< that was run for the truth: a file that can be run again
};

struct Family {
  const char* name;
  const char* words;  ///< as a person would call it
  /// `problem`: what it is about; null where `about_operators` is false.
  Result<Exercise> (*make)(Draw& draw, int level, const Problem* problem);
  bool about_operators = false;
  /// Whether it can be asked of that operator.
  bool (*fits)(const Problem& problem) = nullptr;
};

std::span<const Family> chip_families();
std::span<const Family> operator_families();
std::span<const Family> access_families();

/// Its numbers as an item. `next`: what follows the program's name; `source`: what `show` prints.
std::unique_ptr<Item> numbers_item(Exercise exercise, std::string next, std::string source = {});

/// How many threads, blocks, registers and bytes a multiprocessor has room for.
std::string room_text(const Chip& chip);

/// "1,536"
std::string grouped(double whole);

/// "1,048,576" or "0.333333"
std::string number_text(double value);

}  // namespace kata::drill

#include "practice/fsrs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kata::fsrs {
namespace {

constexpr std::array w = {0.212,  1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194,
                          0.001,  1.8722, 0.1666, 0.796,  1.4835, 0.0614, 0.2629,
                          1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542};

constexpr double least_stability = 0.001;
constexpr double least_difficulty = 1, most_difficulty = 10;
constexpr double wanted_recall = 0.9;
constexpr double most_days = 36500;
constexpr double decay = -w[20];

/// Makes the recall after `stability` days 90 %, for any decay.
double factor() {
  return std::pow(0.9, 1 / decay) - 1;
}

int number(Grade grade) {
  return static_cast<int>(grade);
}

double clamped(double difficulty) {
  return std::clamp(difficulty, least_difficulty, most_difficulty);
}

/// D0(G) = w4 - e^(w5 (G - 1)) + 1, not clamped
double first_difficulty(Grade grade) {
  return w[4] - std::exp(w[5] * (number(grade) - 1)) + 1;
}

/// Moves by -w6 (G - 3), the less the nearer to 10, and a little towards D0(easy).
double next_difficulty(double difficulty, Grade grade) {
  const double change = -w[6] * (number(grade) - 3);
  const double moved = difficulty + (most_difficulty - difficulty) * change / 9;
  return clamped(w[7] * first_difficulty(Grade::easy) + (1 - w[7]) * moved);
}

double same_day(double stability, Grade grade) {
  const double growth = std::exp(w[17] * (number(grade) - 3 + w[18])) * std::pow(stability, -w[19]);
  return stability * (grade >= Grade::good ? std::max(growth, 1.0) : growth);
}

double after_recall(const Memory& memory, double recall, Grade grade) {
  const double penalty = grade == Grade::hard ? w[15] : 1;
  const double bonus = grade == Grade::easy ? w[16] : 1;
  return memory.stability *
         (1 + std::exp(w[8]) * (11 - memory.difficulty) * std::pow(memory.stability, -w[9]) *
                  (std::exp((1 - recall) * w[10]) - 1) * penalty * bonus);
}

double after_forgetting(const Memory& memory, double recall) {
  const double long_term = w[11] * std::pow(memory.difficulty, -w[12]) *
                           (std::pow(memory.stability + 1, w[13]) - 1) *
                           std::exp((1 - recall) * w[14]);
  const double short_term = memory.stability / std::exp(w[17] * w[18]);
  return std::min(long_term, short_term);
}

double next_stability(const Memory& memory, Grade grade, int days) {
  if (days < 1) return same_day(memory.stability, grade);
  const double recall = retrievability(memory, days);
  return grade == Grade::again ? after_forgetting(memory, recall)
                               : after_recall(memory, recall, grade);
}

}  // namespace

Memory first(Grade grade) {
  return {.stability = w[static_cast<std::size_t>(number(grade) - 1)],
          .difficulty = clamped(first_difficulty(grade))};
}

Memory next(const Memory& memory, Grade grade, int days) {
  return {.stability = std::max(next_stability(memory, grade, days), least_stability),
          .difficulty = next_difficulty(memory.difficulty, grade)};
}

double retrievability(const Memory& memory, double days) {
  return std::pow(1 + factor() * std::max(days, 0.0) / memory.stability, decay);
}

int interval(const Memory& memory) {
  const double days = memory.stability / factor() * (std::pow(wanted_recall, 1 / decay) - 1);
  return static_cast<int>(std::clamp(std::nearbyint(days), 1.0, most_days));
}

}  // namespace kata::fsrs

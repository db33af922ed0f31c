// The estimates of every rung beside what an H200 needed for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/json.h"
#include "support/paths.h"
#include "timing/estimate.h"
#include "timing/kept.h"

using namespace kata;

namespace {

struct Row {
  std::string rung;
  double measured = 0, spread = 0, estimated = 0;
};

/// Rows by operator and size.
using Ladders = std::map<std::pair<std::string, std::string>, std::vector<Row>>;

/// The kept times without the libraries and the limit.
Ladders measured() {
  Ladders ladders;
  for (const Problem& problem : problems()) {
    const Result<KeptTimes> kept = kept_times(problem);
    REQUIRE(kept);
    for (const TimingRow& row : kept->rows) {
      if (!std::isdigit(static_cast<unsigned char>(row.name[0]))) continue;
      ladders[{problem.name, row.size}].push_back({row.name, row.median_us, row.iqr_us});
    }
  }
  return ladders;
}

Shape shape_from(const std::string& size) {
  Shape shape;
  std::istringstream numbers(size);
  for (std::string one; std::getline(numbers, one, 'x');) shape.push_back(std::stoi(one));
  return shape;
}

/// Fills in the estimates from the kept profiles; returns how many there are.
std::size_t add_estimates(Ladders& ladders) {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  std::size_t added = 0;
  for (const Problem& problem : problems()) {
    std::ifstream file(solutions(problem.name) / "profiles.jsonl");
    for (std::string line; std::getline(file, line);) {
      const auto kept = nlohmann::json::parse(line);
      const std::string size = kept.at("size"), rung = kept.at("rung");
      const auto launches = kept.at("launches").get<std::vector<LaunchProfile>>();
      for (Row& row : ladders[{problem.name, size}]) {
        if (row.rung != rung) continue;
        row.estimated = estimate(launches, problem.cost(shape_from(size)), *chip).us;
        ++added;
      }
    }
  }
  return added;
}

struct Order {
  int right = 0, wrong = 0;
  double tau() const { return static_cast<double>(right - wrong) / (right + wrong); }
};

/// Pairs that the H200 tells apart: they differ by more than their quartiles are apart.
Order order_of(const std::vector<Row>& rows) {
  Order order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const double difference = rows[i].measured - rows[j].measured;
      if (std::fabs(difference) <= std::max(rows[i].spread, rows[j].spread)) continue;
      const bool same = difference * (rows[i].estimated - rows[j].estimated) > 0;
      ++(same ? order.right : order.wrong);
    }
  }
  return order;
}

/// How far each estimate's ratio to the best rung is from the measured one, as a factor from 1 up.
void add_errors(const std::vector<Row>& rows, std::vector<double>& errors) {
  const auto best = [&](double Row::*time) {
    return (*std::min_element(rows.begin(), rows.end(),
                              [&](const Row& a, const Row& b) { return a.*time < b.*time; })).*
           time;
  };
  const double best_measured = best(&Row::measured), best_estimated = best(&Row::estimated);
  for (const Row& row : rows) {
    const double ratio = row.estimated / best_estimated / (row.measured / best_measured);
    errors.push_back(std::max(ratio, 1 / ratio));
  }
}

}  // namespace

TEST_CASE("estimates order every ladder as an H200 does") {
  Ladders ladders = measured();
  std::size_t rows = 0;
  for (const auto& [which, ladder] : ladders) rows += ladder.size();
  REQUIRE(rows >= 240);
  REQUIRE(add_estimates(ladders) == rows);

  Order all;
  std::vector<double> errors;
  for (const auto& [which, ladder] : ladders) {
    const Order one = order_of(ladder);
    all.right += one.right;
    all.wrong += one.wrong;
    add_errors(ladder, errors);
    std::string table = which.first + " " + which.second;
    for (const Row& row : ladder) {
      table += "\n  " + row.rung + "  measured " + std::to_string(row.measured) + "  estimated " +
               std::to_string(row.estimated);
    }
    CAPTURE(table);
    CHECK(one.wrong <= one.right);
  }
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2),
                   errors.end());
  const double median_error = errors[errors.size() / 2];
  MESSAGE("Kendall's tau " << all.tau() << " over " << all.right + all.wrong
                           << " pairs; median error of the ratio to the best " << median_error);
  CHECK(all.tau() >= 0.9);
  CHECK(median_error < 1.5);
}

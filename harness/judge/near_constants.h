#pragma once
// Sizes near the constants of a candidate's source: where its rare paths begin.

#include <set>
#include <vector>

#include "problems/spec/problem.h"

namespace kata {

/// Sizes of one dimension that may matter to a candidate.
struct NearSizes {
  std::set<int> thresholds = {};  ///< the source compares the dimension with them
  std::set<int> guesses = {};     ///< it compares something with them, and may mean this dimension
  std::set<int> elements = {};    ///< near these, if what it compares is bytes
  std::set<int> others = {};      ///< near any constant
  std::set<int> products = {};    ///< near products of two constants
};

/// Where the operator has none of the sizes next to a threshold, as where they are powers of two:
/// the next one that it has.
void add_next_legal(const Problem& problem, std::size_t i, std::set<int>& sizes);

/// One size just past each threshold of the source, the others small: what a path leaves unset at
/// the end shows with all checks alone. Also one of three times a constant. Few, and cheap enough
/// for these.
std::vector<Shape> shapes_past_thresholds(const Problem& problem,
                                          const std::vector<NearSizes>& sizes);

/// Where elements are in rows of any length: more rows than a constant of the source, all just past
/// what it compares something with. A list of long rows may have room for fewer. A few, the
/// largest.
std::vector<Shape> long_lists(const Problem& problem, const std::vector<NearSizes>& sizes);

/// Shapes in groups, the most promising first: one size near a threshold, several of them, and so
/// on. In a group, those that cost least come first.
std::vector<std::vector<Shape>> shapes_near_constants(const Problem& problem,
                                                      const std::vector<NearSizes>& sizes);

}  // namespace kata
